import CommandInterface
package import MediaTypes
import RealTime

/// Asks several recorders for the same, at the same instant.
package enum SeveralRecordings {
    /// Long enough for every one of them to hear of it before.
    private static let notice: Int64 = 200_000_000

    /// The instant at which all do it; nil for one alone, which does it at once.
    package static func instant(for count: Int, now: Int64 = MonotonicClock().nanoseconds) -> MediaTime? {
        count < 2 ? nil : MediaTime(nanoseconds: now + notice)
    }

    /// Asks all of them side by side.
    ///
    /// - Returns: the answers, in the order of the names.
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
