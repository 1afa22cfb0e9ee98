"""A recipe for Conan 2, untested: conan create packaging/conan"""
import os

from conan import ConanFile
from conan.tools.cmake import CMake, CMakeDeps, CMakeToolchain, cmake_layout
from conan.tools.files import copy


class PliantRecipe(ConanFile):
    name = "pliant"
    version = "0.1.0"
    license = "MIT"
    description = "Which triangles of deforming bodies touch, exactly"
    topics = ("collision-detection", "deformable", "geometry")
    settings = "os", "arch", "compiler", "build_type"
    package_type = "library"
    options = {"shared": [True, False], "gltf": [True, False]}
    default_options = {"shared": False, "gltf": True}

    def export_sources(self):
        root = os.path.join(self.recipe_folder, "..", "..")
        for pattern in ("CMakeLists.txt", "LICENSE", "README.md", "cmake/*", "docs/*", "include/*", "libs/*",
                        "packaging/completion/*", "src/*"):
            copy(self, pattern, root, self.export_sources_folder)

    def configure(self):
        self.settings.rm_safe("compiler.cppstd")
        self.settings.rm_safe("compiler.libcxx")

    def requirements(self):
        if self.options.gltf:
            self.requires("jansson/2.14")
            self.requires("meshoptimizer/0.20")

    def layout(self):
        cmake_layout(self)

    def generate(self):
        CMakeDeps(self).generate()
        toolchain = CMakeToolchain(self)
        toolchain.variables["BUILD_SHARED_LIBS"] = bool(self.options.shared)
        toolchain.variables["PLIANT_WITH_JANSSON"] = bool(self.options.gltf)
        toolchain.variables["PLIANT_WITH_MESHOPTIMIZER"] = bool(self.options.gltf)
        for name in ("PLIANT_BUILD_TOOL", "PLIANT_BUILD_LAB", "PLIANT_BUILD_TESTS", "PLIANT_WITH_LAPACKE",
                     "PLIANT_WITH_ZLIB", "PLIANT_WITH_EPOXY", "PLIANT_WITH_DRACO"):
            toolchain.variables[name] = False
        toolchain.generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        copy(self, "LICENSE", self.source_folder, os.path.join(self.package_folder, "licenses"))
        CMake(self).install()

    def package_info(self):
        core = self.cpp_info.components["core"]
        core.libs = ["pliant"]
        core.set_property("cmake_target_name", "pliant::pliant")
        core.set_property("pkg_config_name", "pliant")
        core.system_libs = ["m", "pthread"]
        asset = self.cpp_info.components["asset"]
        asset.libs = ["pliant_asset"]
        asset.requires = ["core"] + (["jansson::jansson", "meshoptimizer::meshoptimizer"] if self.options.gltf else [])
        asset.set_property("cmake_target_name", "pliant::pliant_asset")
