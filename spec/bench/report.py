"""Runs a script, and at its end tells on a pipe what it and the largest process that it waited for used."""

import json
import os
import resource
import runpy
import sys

sys.argv = sys.argv[1:]
try:
    runpy.run_path(sys.argv[0], run_name="__main__")
finally:
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    peak = max(each.ru_maxrss for each in used) / 1024
    cpu = sum(each.ru_utime + each.ru_stime for each in used)
    os.write(3, json.dumps({"peakMb": peak, "cpu": cpu}).encode())
