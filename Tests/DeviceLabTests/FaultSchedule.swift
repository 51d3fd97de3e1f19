import TestSupport

/// What goes wrong in a soak, once.
enum Fault: Equatable {
    /// The camera's node goes, and comes again.
    case cameraUnplugged(seconds: Double)
    /// The camera is gone while its node is there; it comes back when nobody holds it any more.
    case cameraDisconnected
    /// So many of a hundred buffers never arrive: gaps in the sequence numbers.
    case buffersDropped(percent: Int, seconds: Double)
    /// One buffer with the error flag.
    case bufferCorrupt
    /// DQBUF gives EIO until the stream is begun anew.
    case streamError
    /// The microphone's clock runs so much faster, from now on.
    case rateShift(partsPerMillion: Int)
    /// SIGSTOP: both rings run over.
    case processStopped(seconds: Double)
    /// Somebody fills the disk, but for so many MiB. The only fault that ends the process, which is started again when
    /// there is room.
    case diskFull(leaving: Int)
    /// SIGHUP, with another length of files in the configuration.
    case hangUp(segmentSeconds: Int)
    case split
    case pause(seconds: Double)
    case microphoneUnplugged(seconds: Double)
    /// Somebody deletes the file that grows.
    case fileDeleted
    /// Somebody moves it to another directory.
    case fileMoved
    /// The directory of the recordings gets another name.
    case directoryRenamed
    /// It is removed, with the file that grows in it.
    case directoryRemoved
    /// The wall clock stands at 1970, and is put right again.
    case clockAtEpoch(seconds: Double)
    /// Another recorder takes names from the same pattern.
    case secondRecorder(seconds: Double)
    /// The other disk is full, on which the recorder keeps its lists.
    case stateDiskFull(seconds: Double)

    /// How often each kind is drawn is the same, whatever its parameters.
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

/// Which fault comes when: decided by the seed alone, so that a soak can be run again.
///
/// Kinds come in rounds, each once in every round in a random order: no run leaves one out for long.
struct FaultSchedule: Equatable {
    struct Entry: Equatable {
        /// Seconds from the start.
        var time: Double
        var fault: Fault
    }

    /// From one fault to the next: long enough for the longest to be over and for claps after it.
    static let interval = 20.0

    let seed: UInt64
    let entries: [Entry]

    /// - Parameter seconds: of the whole soak. The last fault leaves an interval for what comes after it.
    init(seed: UInt64, seconds: Double) {
        self.seed = seed
        var random = SeededRandom(seed: seed)
        var round: [Int] = []
        var entries: [Entry] = []
        var time = Self.interval
        while time + Self.interval <= seconds {
            if round.isEmpty { round = (0..<Fault.kindCount).shuffled(using: &random) }
            // Not in step with frames, fragments and claps.
            let moment = time + random.seconds(0, 2)
            entries.append(Entry(time: moment, fault: Fault(kind: round.removeLast(), using: &random)))
            time += Self.interval
        }
        self.entries = entries
    }

    /// Chosen faults, one an interval.
    init(_ faults: [Fault]) {
        seed = 0
        entries = faults.enumerated().map { Entry(time: Double($0.offset + 1) * Self.interval, fault: $0.element) }
    }

    /// Until when such a soak records.
    var end: Double { (entries.last?.time ?? 0) + Self.interval }
}

extension SeededRandom {
    fileprivate mutating func number(_ lowest: Int, _ highest: Int) -> Int {
        Int.random(in: lowest...highest, using: &self)
    }

    /// In milliseconds, so that it can be read in a log.
    fileprivate mutating func seconds(_ lowest: Int, _ highest: Int) -> Double {
        Double(number(lowest * 1000, highest * 1000)) / 1000
    }
}
