"""Tests of the pages in Chromium: a package, for fixtures of this scope live as long as the tests of a package run."""
