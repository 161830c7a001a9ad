"""The extension is built by CMake (scripts/wheel.sh); this only packs it."""

from pathlib import Path

from setuptools import Distribution, setup


class BinaryDistribution(Distribution):
    def has_ext_modules(self) -> bool:  # the wheel is for one platform and interpreter
        return True


setup(version=Path("version.txt").read_text().strip(), distclass=BinaryDistribution)
