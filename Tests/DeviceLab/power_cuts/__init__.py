"""Power cuts: the lab's kernel is killed while it records, booted again on the same disks, and all of it judged."""
