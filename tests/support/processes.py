"""Finds processes and what they leave behind: for tests that kill them."""
import contextlib
import os
import signal
import subprocess
import time

SHARED = "/dev/shm"


def marked(mark):
    """Processes with this entry in their environment, and the entries of each."""
    found = {}
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/environ", "rb") as file:
                entries = file.read().split(b"\0")
            if mark.encode() in entries and os.path.exists(f"/proc/{pid}/exe"):
                found[int(pid)] = entries
        except OSError:  # gone meanwhile
            pass
    return found


def runs(pid, program):
    try:
        return os.path.samefile(f"/proc/{pid}/exe", program)  # its name may be another where mounts differ
    except OSError:
        return False


def ranks(mark, program):
    found = {}
    for pid, entries in marked(mark).items():
        for entry in entries:
            name, _, value = entry.decode(errors="replace").partition("=")
            if name in ("OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK") and runs(pid, program):
                found[int(value)] = pid
    return found


def abandoned():
    """Files of shared memory that no living process has mapped: other programs may be at work beside the test."""
    files = {os.path.join(SHARED, name) for name in os.listdir(SHARED)}
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/maps") as file:
                files -= {line.split(None, 5)[-1].strip() for line in file if SHARED in line}
        except OSError:
            pass
    return files


def within(seconds, condition):
    end = time.time() + seconds
    while not condition():
        if time.time() > end:
            return False
        time.sleep(0.05)
    return True


def killed(case, command, program, size, victim, environment=None):
    """Starts `weft bench`, kills one of its ranks while they are at work, and expects an error
    soon and nothing left of it."""
    mark = f"WEFT_TEST_MARK={os.getpid()}.{time.time()}"
    before = abandoned()
    job = subprocess.Popen(
        command + ["--repeat", "1000000"],
        env={"WEFT_WISDOM": "none", **os.environ, **(environment or {}), **dict([mark.split("=")])},
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    try:
        text = ""
        while not text.endswith("timing 1000000 repeats of 1 strategies\n"):
            line = job.stdout.readline()
            case.assertTrue(line, text)
            text += line
        time.sleep(0.2)
        case.assertEqual(sorted(ranks(mark, program)), list(range(size)))
        os.kill(ranks(mark, program)[victim], signal.SIGKILL)
        text, _ = job.communicate(timeout=15)
        case.assertNotEqual(job.returncode, 0)
        case.assertTrue(within(5, lambda: not marked(mark)), marked(mark).keys())
        case.assertTrue(within(5, lambda: not abandoned() - before), abandoned() - before)
        return text
    finally:
        job.kill()
        for pid in marked(mark):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
