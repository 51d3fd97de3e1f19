import CommandInterface
package import MediaTypes
import RealTime
package import RecorderStorage

/// Sends the same request to several recorders, to be carried out at the same time.
package enum SeveralRecordings {
    /// The time between a request and its execution, in nanoseconds: long enough for all recorders to receive the
    /// request.
    private static let notice: Int64 = 200_000_000

    /// Returns the common time for all recorders; nil for a single one, which acts immediately.
    package static func instant(for count: Int, now: Int64 = MonotonicClock().nanoseconds) -> MediaTime? {
        count < 2 ? nil : MediaTime(nanoseconds: now + notice)
    }

    /// Returns a warning if a recorder answered after the common time, and may therefore have acted later than others;
    /// nil if it answered before that time, and for a single recorder.
    package static func lateness(
        of name: String, _ instant: MediaTime?, now: Int64 = MonotonicClock().nanoseconds
    ) -> String? {
        guard let instant, now > instant.nanoseconds else { return nil }
        let late = (Double(now - instant.nanoseconds) / 1e7).rounded(.up) / 100
        return "\(name) answered late: it may have acted up to \(late) s after the other recorders"
    }

    /// Sends the request to all recorders in parallel.
    ///
    /// - Returns: The answers, in the order of the names.
    package static func ask<Answer: Sendable, Failure: Error>(
        _ names: [RecordingName],
        _ question: @escaping @Sendable (RecordingName) async throws(Failure) -> Answer
    ) async -> [(name: RecordingName, answer: Result<Answer, Failure>)] {
        await withTaskGroup(of: (Int, Result<Answer, Failure>).self) { group in
            for (index, name) in names.enumerated() {
                group.addTask {
                    do throws(Failure) { return (index, .success(try await question(name))) } catch {
                        return (index, .failure(error))
                    }
                }
            }
            var answers = [Result<Answer, Failure>?](repeating: nil, count: names.count)
            for await (index, answer) in group { answers[index] = answer }
            return zip(names, answers).compactMap { name, answer in answer.map { (name, $0) } }
        }
    }
}
