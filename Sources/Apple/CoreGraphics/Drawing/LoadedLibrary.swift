import Foundation
import Glibc

/// A library that is loaded when a program first needs it, and then stays loaded.
package struct LoadedLibrary: @unchecked Sendable {
    // Unchecked: a handle of the dynamic linker. Any thread may call the linker's functions.

    /// The reason why a library cannot be used, as the dynamic linker reports it.
    package struct Missing: Error {
        package let reason: String

        fileprivate static func last() -> Missing {
            let words: UnsafeMutablePointer<CChar>? = dlerror()
            return Missing(reason: words.map { String(cString: $0) } ?? "unknown error of the dynamic linker")
        }
    }

    private let handle: UnsafeMutableRawPointer

    package init(_ name: String) throws(Missing) {
        guard let handle = dlopen(name, RTLD_NOW | RTLD_LOCAL) else { throw Missing.last() }
        self.handle = handle
    }

    /// Returns a function by its name. The type must match the declaration in the library's header.
    package func find<Function>(_ name: String) throws(Missing) -> Function {
        guard let address = dlsym(handle, name) else { throw Missing.last() }
        return unsafeBitCast(address, to: Function.self)
    }

    /// Prints a line on standard error.
    package static func report(_ line: String) {
        // `write(_:)` would end the program if standard error is closed or its disk is full.
        try? FileHandle.standardError.write(contentsOf: Data("\(line)\n".utf8))
    }
}
