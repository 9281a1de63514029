"""The build of an earlier commit, beside the work in build/reference/COMMIT: made once, never committed."""

import os
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
COMMIT = "5af5cfb"  # before the restructuring: what must not change is what this commit does


def build(commit, families):
    """The folder with its bin, lib and share."""
    full = subprocess.run(["git", "rev-parse", "--verify", f"{commit}^{{commit}}"], cwd=ROOT, check=True, capture_output=True,
                          text=True).stdout.strip()
    sources = ROOT / "build" / "reference" / full[:12]
    if not all((sources / "build/lib" / f"libswitchyard-{family}.so").exists() for family in families):
        print(f"== builds {full[:12]} in {sources}", flush=True)
        sources.mkdir(parents=True, exist_ok=True)
        archive = subprocess.Popen(["git", "archive", full], cwd=ROOT, stdout=subprocess.PIPE)
        subprocess.run(["tar", "-x", "-C", sources], stdin=archive.stdout, check=True)
        if archive.wait() != 0:
            raise SystemExit(f"git archive {full} failed")
        environment = {**os.environ, "CCACHE_DIR": str(ROOT / "build" / "ccache")}
        with open(sources / "build.log", "w", encoding="utf-8") as log:
            if subprocess.run(["scripts/build", *families], cwd=sources, env=environment, stdout=log, stderr=log, check=False).returncode != 0:
                raise SystemExit(f"{full[:12]} did not build: {sources}/build.log")
    return sources / "build"
