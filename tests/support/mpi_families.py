"""The MPI families that switchyard is built for, as shim/entry/mpi_families.def lists them."""

import atexit
import functools
import pathlib
import re
import shutil
import tempfile
import types

TABLE = pathlib.Path(__file__).resolve().parents[2] / "shim" / "entry" / "mpi_families.def"


def value_of(text):
    if text in ("true", "false"):
        return text == "true"
    words = re.findall(r'"([^"]*)"', text)
    return words if text.startswith("{") else words[0]


def families():
    """By name, in the order of the table. An attribute for each field: a text, a list of texts, or a bool."""
    found = {}
    for line in TABLE.read_text(encoding="utf-8").splitlines():
        if head := re.match(r"SWITCHYARD_MPI_FAMILY\((\w+),$", line):
            family = found[head[1]] = types.SimpleNamespace(name=head[1])
        elif field := re.match(r" +\.(\w+) = (.*?)[,)]$", line):
            setattr(family, field[1], value_of(field[2]))
    return found


@functools.cache
def sessions():
    """A folder that this process removes at its end."""
    folder = tempfile.mkdtemp(prefix="switchyard-sessions-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def environment():
    """What the launchers of all families want in the environment of a test. Each call names another folder for the
    files of Open MPI's sessions. Jobs of one user usually share /tmp/ompi.HOST.USER: the end of one removes what the
    start of another has just found, and then that one does not start (open-mpi/ompi#8510; with Open MPI 4.1.4 it was
    1 start in 120 of two at once)."""
    settings = dict(setting.split("=", 1) for family in families().values() for setting in family.environment)
    return settings | {"OMPI_MCA_orte_tmpdir_base": tempfile.mkdtemp(dir=sessions())}


def launcher(family, ranks, exported=None):
    """The command that starts that many ranks. `exported` goes into the ranks alone, not into the launcher itself."""
    program = "mpirun" + family.suffix
    words = [program if shutil.which(program) else "mpirun", *family.oversubscribe.split(), "-n", str(ranks)]
    for name, value in (exported or {}).items():
        filled_in = {"NAME": name, "VALUE": value}
        options = family.export_variable.split()
        words += [re.sub("NAME|VALUE", lambda place: filled_in[place[0]], option) for option in options]
    return words
