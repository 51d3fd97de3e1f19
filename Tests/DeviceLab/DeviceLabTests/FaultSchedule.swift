import TestSupport

/// One fault of a soak.
enum Fault: Equatable {
    /// The camera's node disappears, and returns.
    case cameraUnplugged(seconds: Double)
    /// The camera disconnects while its node stays. It returns when no program has it open.
    case cameraDisconnected
    /// This percentage of buffers never arrives: gaps in the sequence numbers.
    case buffersDropped(percent: Int, seconds: Double)
    /// One buffer with the error flag.
    case bufferCorrupt
    /// DQBUF returns EIO until the stream is restarted.
    case streamError
    /// The microphone's clock runs faster by this much from now on.
    case rateShift(partsPerMillion: Int)
    /// SIGSTOP: both rings overflow.
    case processStopped(seconds: Double)
    /// The disk fills up to this many MiB. This is the only fault that ends the process, which is started again when
    /// there is space.
    case diskFull(leaving: Int)
    /// SIGHUP, with another length of files in the configuration.
    case hangUp(segmentSeconds: Int)
    case split
    case pause(seconds: Double)
    case microphoneUnplugged(seconds: Double)
    /// The growing file is deleted.
    case fileDeleted
    /// The growing file is moved to another directory.
    case fileMoved
    /// The directory of the recordings is renamed.
    case directoryRenamed
    /// The directory is removed together with the growing file.
    case directoryRemoved
    /// The wall clock is set to 1970, and corrected later.
    case clockAtEpoch(seconds: Double)
    /// Another recorder uses names of the same pattern.
    case secondRecorder(seconds: Double)
    /// The disk with the recorder's lists is full.
    case stateDiskFull(seconds: Double)

    /// The number of kinds. All are drawn equally often, whatever their parameters.
    static let kindCount = 19

    fileprivate init(kind: Int, using random: inout SeededRandom) {
        self =
            switch kind {
            case 0: .cameraUnplugged(seconds: random.seconds(1, 8))
            case 1: .cameraDisconnected
            case 2: .buffersDropped(percent: random.number(10, 60), seconds: random.seconds(1, 6))
            case 3: .bufferCorrupt
            case 4: .streamError
            case 5: .rateShift(partsPerMillion: 10 * random.number(-30, 30))
            case 6: .processStopped(seconds: random.seconds(1, 6))
            case 7: .diskFull(leaving: random.number(0, 1) * 10)
            case 8: .hangUp(segmentSeconds: random.number(40, 150))
            case 9: .split
            case 10: .pause(seconds: random.seconds(3, 8))
            case 11: .microphoneUnplugged(seconds: random.seconds(1, 8))
            case 12: .clockAtEpoch(seconds: random.seconds(2, 8))
            case 13: .stateDiskFull(seconds: random.seconds(2, 8))
            case 14: .secondRecorder(seconds: random.seconds(2, 8))
            case 15: .fileDeleted
            case 16: .fileMoved
            case 17: .directoryRenamed
            default: .directoryRemoved
            }
    }
}

/// The sequence of faults. Only the seed determines it, so that a soak can be repeated.
///
/// Kinds come in rounds, each once per round in a random order, so no kind is absent for long.
struct FaultSchedule: Equatable {
    struct Entry: Equatable {
        /// Seconds from the start.
        var time: Double
        var fault: Fault
    }

    /// The seconds from one fault to the next: enough for the longest fault, and for claps after it.
    static let interval = 20.0

    let seed: UInt64
    let entries: [Entry]

    /// - Parameter seconds: duration of the soak. The last fault is followed by an interval.
    init(seed: UInt64, seconds: Double) {
        self.seed = seed
        var random = SeededRandom(seed: seed)
        var round: [Int] = []
        var entries: [Entry] = []
        var time = Self.interval
        while time + Self.interval <= seconds {
            if round.isEmpty { round = (0..<Fault.kindCount).shuffled(using: &random) }
            // The random part avoids a phase lock with frames, fragments and claps.
            let moment = time + random.seconds(0, 2)
            entries.append(Entry(time: moment, fault: Fault(kind: round.removeLast(), using: &random)))
            time += Self.interval
        }
        self.entries = entries
    }

    /// Makes a schedule of chosen faults, one per interval.
    init(_ faults: [Fault]) {
        seed = 0
        entries = faults.enumerated().map { Entry(time: Double($0.offset + 1) * Self.interval, fault: $0.element) }
    }

    /// The end of the recording in such a soak.
    var end: Double { (entries.last?.time ?? 0) + Self.interval }
}

extension SeededRandom {
    fileprivate mutating func number(_ lowest: Int, _ highest: Int) -> Int {
        Int.random(in: lowest...highest, using: &self)
    }

    /// Returns a time in whole milliseconds, which is readable in a log.
    fileprivate mutating func seconds(_ lowest: Int, _ highest: Int) -> Double {
        Double(number(lowest * 1000, highest * 1000)) / 1000
    }
}
