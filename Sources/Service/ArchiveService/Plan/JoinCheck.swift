import MediaTypes

/// A check that the parts of a plan's movies make complete movies. The parts of each join must come before the join in
/// the plan, belong to its movie, and leave no gap.
struct JoinCheck {
    private struct Part {
        let movie: ArchivePlan.Movie
        let work: ArchivePlan.Work
        let line: Int
    }

    /// The parts that no task has joined yet, by task number.
    private var parts: [Int: Part] = [:]
    /// The number of the task that joins each part, by the number of the task that makes the part.
    private var joined: [Int: Int] = [:]

    /// Adds a task.
    ///
    /// - Parameter place: The byte offset of the list `after` in the line, for an error.
    mutating func add(_ task: ArchivePlan.Task, line: Int, after place: Int) throws(JSONNode.Fault) {
        guard let movie = task.movies.first else { return }
        switch task.work {
        case .movies: return
        case .frames, .audio: parts[task.number] = Part(movie: movie, work: task.work, line: line)
        case .join(let numbers):
            var taken: [Part] = []
            for number in numbers {
                guard let part = parts.removeValue(forKey: number) else {
                    throw JSONNode.Fault(place: place, reason: reason(number, task.number))
                }
                joined[number] = task.number
                guard part.movie.source == movie.source, part.movie.identity == movie.identity,
                    part.movie.output == movie.output, part.movie.settings == movie.settings
                else {
                    throw JSONNode.Fault(
                        place: place,
                        reason: "task \(number), in line \(part.line), is for another movie or another copy")
                }
                taken.append(part)
            }
            if let fault = Self.fault(taken) { throw JSONNode.Fault(place: place, reason: fault) }
        }
    }

    private func reason(_ number: Int, _ task: Int) -> String {
        if number == task { return "task \(number) cannot join itself" }
        if let other = joined[number] { return "task \(number) is already joined by task \(other)" }
        return "no earlier task \(number) makes a part of a movie"
    }

    /// Returns the error in the parts of a movie; nil if the parts are complete.
    private static func fault(_ parts: [Part]) -> String? {
        var expected: MediaTime? = .zero
        var audioParts = 0
        var chunkParts = 0
        for part in parts {
            switch part.work {
            case .audio: audioParts += 1
            case .frames(let from, let to):
                chunkParts += 1
                guard let end = expected else { return "a chunk follows the one that extends to the movie's end" }
                if from > end {
                    return "the chunks leave a gap between \(PlanTime.text(end)) and \(PlanTime.text(from))"
                }
                if from < end { return "the chunk that begins at \(PlanTime.text(from)) overlaps the one before it" }
                expected = to
            case .movies, .join: break
            }
        }
        if chunkParts == 0 { return "no chunk of the movie's frames is joined" }
        if let end = expected { return "the chunks leave a gap after \(PlanTime.text(end))" }
        return audioParts > 1 ? "the movie's audio is joined twice" : nil
    }

    /// Returns the first part that no task joins, with its line.
    func unjoined() -> (line: Int, fault: JSONNode.Fault)? {
        guard let part = parts.min(by: { $0.value.line < $1.value.line }) else { return nil }
        let reason = "no later task joins the part that task \(part.key) makes"
        return (part.value.line, JSONNode.Fault(place: 0, reason: reason))
    }
}
