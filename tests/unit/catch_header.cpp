// Nothing: this translation unit carries the precompiled header of the unit tests.
