"""Who ran the native calls, as run.json and the report say it. The program's results stay as without switchyard."""

import json
import shutil
import unittest

from harness import OPENMPI, SHIM, PreloadTest, client


class NativeTest(PreloadTest):
    def native_of(self, settings, **options):
        plain = self.plain_once(2, client("c_basic"))
        result = self.launch(2, client("c_basic"), exported=settings, **options)
        self.assert_ended_well(result)
        self.assert_quiet(result)
        self.assertEqual(result.digest, plain.digest)
        self.result = result
        return result.run_json()["native"]

    def report(self):
        answer = self.command("report", self.result.log())
        self.assertEqual(answer.code, 0, answer.everything())
        self.assertIn("Who ran the native calls", answer.stdout)
        as_json = json.loads(self.command("report", self.result.log(), "--format", "json").stdout)
        self.assertEqual(as_json["run"]["native"], self.result.run_json()["native"])
        return " ".join(answer.stdout.split())

    def setting(self, native, name):
        found = [setting for setting in native["settings"] if setting["name"] == name]
        self.assertEqual(len(found), 1, native)
        return found[0]


class Native(NativeTest):
    def test_nothing_set(self):
        native = self.native_of({})
        self.assertEqual(sorted(native), ["components", "forced", "libraries", "settings"])
        self.assertEqual(native["settings"], [])
        self.assertEqual(native["forced"], {})
        self.assertIn("Nobody set anything about the MPI's collectives", self.report())

    def test_a_collective_library(self):
        """A library with the name of UCC's. Its own settings count as long as it is loaded."""
        library = shutil.copy(client("c_counted_later.so"), self.path("libucc.so.1"))
        native = self.native_of({"UCC_TLS": "ucp", "HCOLL_MAIN_IB": "none"}, preload=[SHIM, library])
        self.assertEqual(native["libraries"], ["libucc.so.1"])
        self.assertEqual(native["settings"], [{"name": "UCC_TLS", "value": "ucp", "from": "environment"}])
        self.assertIn("may run collectives for the MPI: libucc.so.1", self.report())

    def test_without_a_log(self):
        result = self.launch(2, client("c_basic"), preload=[SHIM], settings={"SWITCHYARD_LOG": "off"})
        self.assert_ended_well(result)
        self.assertEqual(result.logs, [])

    def test_a_program_with_mpi_t(self):
        """Its own use of MPI_T is the only one."""
        plain = self.plain_once(2, client("c_mpi_t"))
        result = self.launch(2, client("c_mpi_t"))
        self.assert_ended_well(result)
        self.assert_quiet(result)
        self.assertEqual(result.digest, plain.digest)
        self.assertIn("native", result.run_json())

    def test_a_killed_run(self):
        """It knows from the start."""
        result = self.launch(2, client("c_counted"), "kill")
        self.assertNotEqual(result.code, 0)
        self.assertFalse(result.run_json()["complete"])
        self.result = result
        self.report()


@unittest.skipUnless(OPENMPI, "of Open MPI")
class OpenMpi(NativeTest):
    def test_priorities(self):
        usual = {component["name"]: component["priority"] for component in self.native_of({})["components"]}
        self.assertIn("tuned", usual)
        self.assertIn("basic", usual)
        raised = self.native_of({"OMPI_MCA_coll_tuned_priority": "91"})
        self.assertEqual(raised["components"][0], {"name": "tuned", "priority": 91})
        self.assertEqual({component["name"] for component in raised["components"]}, set(usual))
        setting = self.setting(raised, "coll_tuned_priority")
        self.assertEqual((setting["value"], setting["from"]), ("91", "environment"))
        self.assertIn("first component that has it: tuned (priority 91)", self.report())
        self.assertIn("Somebody set coll_tuned_priority to 91 (environment)", self.report())

    def test_a_plugin(self):
        """MPI is in a local scope, and nothing of it in the global one."""
        result = self.launch(2, client("c_plugin_loader"), client("c_counted_plugin.so"))
        self.assert_ended_well(result)
        self.assertIn("tuned", [component["name"] for component in result.run_json()["native"]["components"]])

    def test_a_component_that_is_not_there(self):
        native = self.native_of({"OMPI_MCA_coll": "^tuned", "OMPI_MCA_coll_tuned_priority": "91"})
        self.assertNotIn("tuned", [component["name"] for component in native["components"]])
        self.assertEqual(self.setting(native, "coll")["value"], "^tuned")
        self.assertIn("no such variable", self.setting(native, "OMPI_MCA_coll_tuned_priority")["no_effect"])

    def test_components_that_are_unloaded(self):
        """Open MPI 4.1 keeps some of their variables, which crash who looks at them."""
        for setting in ("pml=^cm", "pml=ob1", "btl=self,vader", "mtl=^ofi", "osc=^ucx", "coll=^han", "coll=basic,libnbc,inter,self"):
            with self.subTest(setting):
                name, value = setting.split("=")
                components = [component["name"] for component in self.native_of({f"OMPI_MCA_{name}": value})["components"]]
                self.assertIn("basic", components)

    def test_forced(self):
        algorithm = {"OMPI_MCA_coll_tuned_alltoallv_algorithm": "2"}
        native = self.native_of(algorithm | {"OMPI_MCA_coll_tuned_use_dynamic_rules": "1"})
        self.assertEqual(native["forced"], {"alltoallv": "pairwise"})
        self.assertNotIn("no_effect", self.setting(native, "coll_tuned_alltoallv_algorithm"))
        self.assertIn("Somebody forced alltoallv to pairwise", self.report())

    def test_forced_in_vain(self):
        """Open MPI says itself on what this setting depends."""
        native = self.native_of({"OMPI_MCA_coll_tuned_alltoallv_algorithm": "2"})
        self.assertEqual(native["forced"], {})
        self.assertEqual(self.setting(native, "coll_tuned_alltoallv_algorithm")["no_effect"],
                         "coll_tuned_use_dynamic_rules is false")
        self.assertIn("without effect: coll_tuned_use_dynamic_rules is false", self.report())

    def test_by_a_file(self):
        file = self.write("params.conf", "coll_tuned_priority = 77\n")
        native = self.native_of({"OMPI_MCA_mca_base_param_files": file, "OMPI_MCA_mca_param_files": file})
        self.assertTrue(self.setting(native, "coll_tuned_priority")["from"].startswith(f"file ({file}"), native)


@unittest.skipIf(OPENMPI, "of MPICH")
class Mpich(NativeTest):
    def test_forced(self):
        native = self.native_of({"MPIR_CVAR_ALLTOALL_INTRA_ALGORITHM": "pairwise", "MPIR_CVAR_NOLOCAL": "0"})
        self.assertEqual(native["components"], [])
        self.assertEqual(native["settings"], [{"name": "MPIR_CVAR_ALLTOALL_INTRA_ALGORITHM", "value": "pairwise",
                                               "from": "environment"}])
        self.assertEqual(native["forced"], {"alltoall": "pairwise"})
        self.assertIn("Somebody forced alltoall to pairwise", self.report())


if __name__ == "__main__":
    unittest.main()
