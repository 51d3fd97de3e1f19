package import Glibc

// Variants of the C library's calls with a path parameter, for paths as text (`PathText`). Their names and results are
// those of the C library. In a file that imports this module, a call with a String uses these variants.
// `scripts/layers` checks that each file with such a call imports this module.

/// The result of stat(2), under a name that declarations of other modules can use.
package typealias FileStatus = stat

package func open(_ path: String, _ flags: Int32) -> Int32 { PathText.withBytes(path) { Glibc.open($0, flags) } }

package func open(_ path: String, _ flags: Int32, _ mode: mode_t) -> Int32 {
    PathText.withBytes(path) { Glibc.open($0, flags, mode) }
}

package func stat(_ path: String, _ status: UnsafeMutablePointer<stat>) -> Int32 {
    PathText.withBytes(path) { Glibc.fstatat(AT_FDCWD, $0, status, 0) }
}

package func lstat(_ path: String, _ status: UnsafeMutablePointer<stat>) -> Int32 {
    PathText.withBytes(path) { Glibc.lstat($0, status) }
}

package func fstatat(_ parent: Int32, _ path: String, _ status: UnsafeMutablePointer<stat>, _ flags: Int32) -> Int32 {
    PathText.withBytes(path) { Glibc.fstatat(parent, $0, status, flags) }
}

package func statvfs(_ path: String, _ values: UnsafeMutablePointer<statvfs>) -> Int32 {
    PathText.withBytes(path) { LinuxCalls.statvfs($0, values) }
}

package func access(_ path: String, _ mode: Int32) -> Int32 { PathText.withBytes(path) { Glibc.access($0, mode) } }

@discardableResult
package func rename(_ path: String, _ target: String) -> Int32 {
    PathText.withBytes(path) { path in PathText.withBytes(target) { Glibc.rename(path, $0) } }
}

package func link(_ path: String, _ target: String) -> Int32 {
    PathText.withBytes(path) { path in PathText.withBytes(target) { Glibc.link(path, $0) } }
}

@discardableResult
package func unlink(_ path: String) -> Int32 { PathText.withBytes(path) { Glibc.unlink($0) } }

package func unlinkat(_ parent: Int32, _ path: String, _ flags: Int32) -> Int32 {
    PathText.withBytes(path) { Glibc.unlinkat(parent, $0, flags) }
}

package func mkdir(_ path: String, _ mode: mode_t) -> Int32 { PathText.withBytes(path) { Glibc.mkdir($0, mode) } }

@discardableResult
package func rmdir(_ path: String) -> Int32 { PathText.withBytes(path) { Glibc.rmdir($0) } }

package func chmod(_ path: String, _ mode: mode_t) -> Int32 { PathText.withBytes(path) { Glibc.chmod($0, mode) } }

package func lchown(_ path: String, _ user: UInt32, _ group: UInt32) -> Int32 {
    PathText.withBytes(path) { Glibc.lchown($0, user, group) }
}

package func opendir(_ path: String) -> OpaquePointer? { PathText.withBytes(path) { Glibc.opendir($0) } }

package func realpath(
    _ path: String, _ resolved: UnsafeMutablePointer<CChar>?
) -> UnsafeMutablePointer<CChar>? { PathText.withBytes(path) { Glibc.realpath($0, resolved) } }

package func readlink(_ path: String, _ target: UnsafeMutablePointer<CChar>, _ size: Int) -> Int {
    PathText.withBytes(path) { Glibc.readlink($0, target, size) }
}

// swift-format-ignore: AlwaysUseLowerCamelCase
package func inotify_add_watch(_ watch: Int32, _ path: String, _ events: UInt32) -> Int32 {
    PathText.withBytes(path) { Glibc.inotify_add_watch(watch, $0, events) }
}

/// Returns a copy of the text's exact bytes, for the arguments and the environment of another program.
package func strdup(_ text: String) -> UnsafeMutablePointer<CChar>? { PathText.withBytes(text) { Glibc.strdup($0) } }
