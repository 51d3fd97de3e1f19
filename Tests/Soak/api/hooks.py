"""Makes half of schemathesis' path parameters valid: a running recorder, and recordings whose IDs the environment names."""
import os
import random

import schemathesis

NAMES = os.environ["SOAK_NAMES"].split(",")
RECORDINGS = os.environ.get("SOAK_RECORDINGS", "").split(",")


@schemathesis.hook
def map_path_parameters(context, path_parameters):
    if not path_parameters:
        return path_parameters
    # Seeded by the drawn parameters, so that the same seed sends the same requests.
    chance = random.Random(repr(sorted(path_parameters.items(), key=repr)))
    for key, known in ("name", NAMES), ("id", RECORDINGS):
        if key in path_parameters and known[0] and chance.random() < 0.5:
            path_parameters = {**path_parameters, key: chance.choice(known)}
    return path_parameters
