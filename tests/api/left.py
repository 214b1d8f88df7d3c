# SPDX-License-Identifier: Apache-2.0
"""A job that leaves a container behind."""
import sys

from client import client

client().containers.run("box", "sleep " + sys.argv[2], name=sys.argv[1], detach=True)
