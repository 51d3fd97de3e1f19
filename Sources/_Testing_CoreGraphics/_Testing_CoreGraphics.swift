// Nothing. Whoever imports both `Testing` and a module called `CoreGraphics` is given Swift Testing's module of this name too, which
// the toolchains for Linux do not have (`Testing.swiftcrossimport`).
