import Foundation

public enum AVKeyValueStatus: Int, Sendable {
    case unknown = 0
    case loading = 1
    case loaded = 2
    case failed = 3
    case cancelled = 4
}

/// The loading progress of each property of an asset or a track, by its key. A pure value.
struct LoadingStates {
    private enum Progress {
        case loading, loaded
        case failed(AVError)
    }

    private var all: [String: Progress] = [:]

    mutating func begin(_ key: String) {
        let key = Self.canonical(key)
        if case .loaded = all[key] { return }
        all[key] = .loading
    }
    mutating func end(_ key: String, _ error: AVError?) {
        all[Self.canonical(key)] = error.map { .failed($0) } ?? .loaded
    }

    /// Returns the canonical form of a key: `isReadable` and `readable` name the same property.
    private static func canonical(_ key: String) -> String {
        guard key.hasPrefix("is"), let first = key.dropFirst(2).first, first.isUppercase else { return key }
        return first.lowercased() + key.dropFirst(3)
    }

    func status(_ key: String) -> (AVKeyValueStatus, AVError?) {
        switch all[Self.canonical(key)] {
        case nil: (.unknown, nil)
        case .loading: (.loading, nil)
        case .loaded: (.loaded, nil)
        case .failed(let error): (error.code == .operationCancelled ? .cancelled : .failed, error)
        }
    }
}
