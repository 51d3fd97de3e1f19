import Foundation

// Declarations in files of the program that are not compiled here.

struct AppLogger {
    let category: String

    func debug(_ message: String) { FileHandle.standardError.write(Data("\(category): \(message)\n".utf8)) }
}
