import Foundation
import Glibc
import TestSupport
import Testing

/// Rule 3 of the design: `kill -9` costs at most 1.5 s at the defaults, at any time.
///
/// RECORDER_KILLS sets the number of killed recordings; `scripts/soak kills` uses 200.
@Suite(.serialized, .timeLimit(.minutes(30))) struct KilledRecordingTests {
    private static let kills = ProcessInfo.processInfo.environment["RECORDER_KILLS"].flatMap { Int($0) } ?? 8
    private static let sideBySide = 4
    private static let frameRate = 30.0

    /// The activity during which a recording is killed.
    private enum Moment: String, CaseIterable { case middle, finish, pause, split }

    /// The result of one recording.
    private struct Fate: CustomStringConvertible {
        var number: Int
        var delay: Double
        var moment: Moment
        var container: String
        /// Seconds that had passed and are not in the files.
        var loss = 0.0
        var problem: String?

        var description: String {
            "no. \(number) (.\(container)) in \(moment) after \(delay) s: lost \(loss) s, \(problem ?? "fine")"
        }
    }

    private struct Info: Decodable {
        struct Pause: Decodable { var duration: Double }
        struct Clock: Decodable {
            /// The start of the file, in seconds of CLOCK_MONOTONIC.
            var start: Double
            var pauses: [Pause]
        }
        var clock: Clock
        var duration: Double

        var end: Double { clock.start + duration + clock.pauses.reduce(0) { $0 + $1.duration } }
    }

    @Test func repair_killedAtAnyTime_missesAtMostOneAndAHalfSeconds() async throws {
        var fates: [Fate] = []
        var next = 0
        while next < Self.kills {
            let batch = next..<min(Self.kills, next + Self.sideBySide)
            next = batch.upperBound
            try await withThrowingTaskGroup(of: Fate.self) { group in
                for number in batch { group.addTask { try await kill(number) } }
                for try await fate in group { fates.append(fate) }
            }
        }
        for fate in fates { #expect(fate.problem == nil && fate.loss <= 1.5, "\(fate)") }
        for moment in Moment.allCases {
            let losses = fates.filter { $0.moment == moment }.map(\.loss).sorted()
            guard let worst = losses.last else { continue }
            let middle = losses[losses.count / 2]
            print("killed \(losses.count) in \(moment): lost \(middle) s in the median, \(worst) s at most")
        }
    }

    private static func now() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    private func kill(_ number: Int) async throws -> Fate {
        let moment = Moment.allCases[number % Moment.allCases.count]
        var fate = Fate(
            number: number, delay: Double.random(in: 0...3.5), moment: moment,
            container: number / Moment.allCases.count % 2 == 0 ? "mov" : "mp4")
        try await Command.inDirectory { command in
            let running = try command.start([
                "start", "--foreground", "--output", "a.\(fate.container)", "--camera", "test", "--microphone", "test",
                "--size", "160x120", "--frame-rate", "30",
            ])
            try await waitUntil { running.output.hasPrefix("recording") || !running.isRunning }
            // This sleep does not wait for an event, here and below: the time of the kill is random.
            try await Task.sleep(for: .seconds(fate.delay))
            let end = try await prepare(fate.moment, running, command)
            running.send(SIGKILL)
            let died = end ?? Self.now()
            _ = try await running.result()
            do {
                fate.loss = try await died - lastMoment(command, fate.container)
            } catch let problem as Problem { fate.problem = problem.description }
        }
        return fate
    }

    /// - Returns: the time until which it had to record; nil for until it is killed.
    private func prepare(_ moment: Moment, _ running: Running, _ command: Command) async throws -> Double? {
        let asked = Self.now()
        switch moment {
        case .middle: return nil
        case .finish:
            running.send(SIGINT)
            try await Task.sleep(for: .milliseconds(Double.random(in: 0...120)))
            return asked
        case .pause:
            let paused = try await command.run("pause")
            #expect(paused.exitCode == 0, "\(paused.errors)")
            try await Task.sleep(for: .milliseconds(Double.random(in: 0...1500)))
            return asked
        case .split:
            let split = try command.start(["split"])
            try await Task.sleep(for: .milliseconds(Double.random(in: 0...600)))
            running.send(SIGKILL)
            let died = Self.now()
            _ = try await split.result()
            return died
        }
    }

    private struct Problem: Error, CustomStringConvertible {
        var description: String
        init(_ description: String) { self.description = description }
    }

    /// Repairs the files and returns the end of the last one. Each file plays, its decode times rise, and it begins at
    /// the end of the previous one.
    private func lastMoment(_ command: Command, _ container: String) async throws -> Double {
        for name in command.files(in: "work") where name.contains(".recording.") {
            // A kill between the creation of a file and its first bytes leaves an empty one. Nothing was recorded in it;
            // what the file before it lacks is judged below.
            let path = command.path("work/\(name)")
            guard try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int != 0 else {
                try FileManager.default.removeItem(atPath: path)
                continue
            }
            let repair = try await command.run("repair", name)
            guard repair.exitCode == 0 else { throw Problem(repair.errors) }
        }
        let names = command.files(in: "work").sorted { $0.count == $1.count ? $0 < $1 : $0.count < $1.count }
        guard ["a.\(container)", "a-002.\(container)"].starts(with: names), !names.isEmpty else {
            throw Problem("left \(names)")
        }
        var last: Double?
        for name in names {
            let path = command.path("work/\(name)")
            let probe = try Probe(path, decodes: true)
            guard probe.complaints.isEmpty else { throw Problem(probe.complaints) }
            try checkDecodeTimes(path)
            let result = try await command.run("info", "--json", name)
            let info = try JSONDecoder().decode(Info.self, from: Data(result.output.utf8))
            if let last, abs(info.clock.start - last) > 1.5 / Self.frameRate {
                throw Problem("\(name) begins \(info.clock.start - last) s behind the end of the file before it")
            }
            last = info.end
        }
        return last ?? 0
    }

    private func checkDecodeTimes(_ path: String) throws {
        let probed = try TestSupport.Command.run(
            "ffprobe", "-v", "error", "-show_entries", "packet=stream_index,dts", "-of", "csv=p=0", path)
        var latest: [Substring: Int] = [:]
        for line in String(decoding: probed.output, as: UTF8.self).split(separator: "\n") {
            let fields = line.split(separator: ",")
            guard fields.count >= 2, let time = Int(fields[1]) else { continue }
            if let before = latest[fields[0]], time <= before {
                throw Problem("stream \(fields[0]): decode time \(time) behind \(before)")
            }
            latest[fields[0]] = time
        }
        guard !latest.isEmpty else { throw Problem("no packet: \(probed.errors)") }
    }
}
