import Foundation
import Glibc

/// The resources that this process holds now.
enum Resources {
    /// Names of the live threads that exports start.
    static var ourThreads: [String] {
        let tasks = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")) ?? []
        return tasks.compactMap { task in
            // The thread may have ended since.
            guard let name = try? String(contentsOfFile: "/proc/self/task/\(task)/comm", encoding: .utf8) else {
                return nil
            }
            let trimmed = name.trimmingCharacters(in: .newlines)
            let isOurs = trimmed.hasSuffix("-encode") || trimmed == "movie-file"
            return isOurs ? trimmed : nil
        }
    }

    /// The open descriptors: files by their paths, the rest by kind.
    static var descriptors: [String] {
        let directory = "/proc/self/fd"
        let names = (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
        return names.compactMap { name in
            // The descriptor that listed the directory is closed by now.
            guard let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "\(directory)/\(name)") else {
                return nil
            }
            // Inode numbers are removed: `socket:[1234]`, but `anon_inode:[timerfd]`.
            return target.hasPrefix("/") ? target : target.filter { !$0.isNumber }
        }.sorted()
    }

    /// Bytes that are allocated and not yet freed, in all arenas and mappings: malloc_info(3), which Swift's Glibc
    /// omits.
    static var memoryInUse: Int {
        typealias Info = @convention(c) (Int32, OpaquePointer?) -> Int32
        typealias Open =
            @convention(c) (
                UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>, UnsafeMutablePointer<Int>
            ) -> OpaquePointer?
        typealias Close = @convention(c) (OpaquePointer?) -> Int32
        guard let program = dlopen(nil, RTLD_NOW), let info = dlsym(program, "malloc_info"),
            let open = dlsym(program, "open_memstream"), let close = dlsym(program, "fclose")
        else { return 0 }
        var (text, size) = (UnsafeMutablePointer<CChar>?.none, 0)
        let stream = unsafeBitCast(open, to: Open.self)(&text, &size)
        _ = unsafeBitCast(info, to: Info.self)(0, stream)
        _ = unsafeBitCast(close, to: Close.self)(stream)
        defer { free(text) }
        let xml = text.map { String(cString: $0) } ?? ""
        // The sums over all arenas come last.
        let sums = xml.components(separatedBy: "</heap>").last ?? ""
        func bytes(_ kind: String) -> Int {
            guard let start = sums.range(of: kind), let size = sums[start.upperBound...].range(of: "size=\"") else {
                return 0
            }
            return Int(sums[size.upperBound...].prefix { $0.isNumber }) ?? 0
        }
        return bytes("<system type=\"current\"") - bytes("<total type=\"fast\"") - bytes("<total type=\"rest\"")
            + bytes("<total type=\"mmap\"")
    }

    /// The statistics that first passes leave for second ones.
    static var passStatistics: [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: FileManager.default.temporaryDirectory.path)) ?? [])
            .filter { $0.hasPrefix("recorder-pass") }
    }
}

/// A generator with the same numbers for the same seed (SplitMix64).
struct SeededNumbers {
    private var state: UInt64
    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var number = state
        number = (number ^ (number >> 30)) &* 0xBF58_476D_1CE4_E5B9
        number = (number ^ (number >> 27)) &* 0x94D0_49BB_1331_11EB
        return number ^ (number >> 31)
    }
}
