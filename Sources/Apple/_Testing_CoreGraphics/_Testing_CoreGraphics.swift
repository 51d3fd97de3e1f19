// Empty on purpose. If a file imports both `Testing` and a module named `CoreGraphics`, the compiler also imports Swift
// Testing's module of this name, which the Linux toolchains lack (`Testing.swiftcrossimport`).
