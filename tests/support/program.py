"""Runs a program, and keeps what became of it: for tests of the command line. And what MPI's launchers are to find in
the environment, which importing this sets."""
import os
import subprocess
import time

# Looking for networks that one machine does not need takes longer than most of these runs.
os.environ.setdefault("OMPI_MCA_pml", "ob1")
# Other tests run beside: ranks that wait give the core away. ./launch says the same for programs.
os.environ.setdefault("OMPI_MCA_mpi_yield_when_idle", "1")
# A process without a launcher starts a daemon, for others that it may spawn: four times as long as
# most of what it is started for.
os.environ.setdefault("OMPI_MCA_ess_singleton_isolated", "1")
# Where a rank fails mpirun waits one or two seconds before it ends the others. Ours say what they
# have to say before any of them ends.
os.environ.setdefault("OMPI_MCA_odls_base_sigkill_timeout", "0")
# For Open MPI's mpirun itself, which `weft --ranks` tells the same: it runs as root, and more ranks than cores.
MPIRUN = {
    "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "PRTE_ALLOW_RUN_AS_ROOT": "1",
    "PRTE_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_rmaps_base_oversubscribe": "1",
    "OMPI_MCA_hwloc_base_binding_policy": "none"
}
LAUNCH = os.path.join(os.path.dirname(os.path.abspath(__file__)), "launch")


class Result:
    def __init__(self, words, seconds=60, environment=None, **options):
        start = time.time()
        done = subprocess.run([LAUNCH, str(seconds)] + words, capture_output=True, text=True,
                              env={"WEFT_WISDOM": "none", **os.environ, **(environment or {})}, **options)
        self.seconds = time.time() - start
        self.code, self.out, self.err = done.returncode, done.stdout, done.stderr
        self.words = words

    def __str__(self):
        return f"{' '.join(self.words)}\nexit code {self.code} after {self.seconds:.1f} s\n{self.out}{self.err}"
