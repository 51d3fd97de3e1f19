import AVFoundation
import Foundation

// Declarations in files and packages of the program that are not compiled here.

public struct FinderItem: Sendable {
    public let url: URL

    public init(at url: URL) { self.url = url }

    public var exists: Bool { FileManager.default.fileExists(atPath: url.path) }

    public func removeIfExists() throws {
        if exists { try FileManager.default.removeItem(at: url) }
    }

    public struct FileError: Error {
        public enum Code: Sendable {
            case cannotWrite(reason: Reason)
        }

        public enum Reason: Sendable {
            case fileExists
        }

        public let code: Code
        public let source: FinderItem

        public init(code: Code, source: FinderItem) {
            self.code = code
            self.source = source
        }
    }
}

public struct LocalizedStringResource: ExpressibleByStringLiteral, Sendable {
    public let text: String

    public init(stringLiteral text: String) { self.text = text }
}

public protocol LocalizableError: Error {
    var titleResource: LocalizedStringResource? { get }
    var messageResource: LocalizedStringResource { get }
}

enum MergeError: Error {
    case cannotCreateVideoTrack
    case cannotReadContentsOfFile(path: URL)
    case cannotCreateExportSession
}
