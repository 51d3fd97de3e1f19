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
