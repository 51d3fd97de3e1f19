/// Checks of a plan that concern several lines.
struct PlanCheck {
    private var numbers: [Int: Int] = [:]
    private var outputs: [RawPath: Int] = [:]
    private var sources: Set<RawPath> = []
    private var joins = JoinCheck()

    /// Adds a task.
    ///
    /// - Parameter place: The byte offset of the list `after` in the line, for an error.
    mutating func add(_ task: ArchivePlan.Task, line: Int, after place: Int) throws(JSONNode.Fault) {
        if let first = numbers.updateValue(line, forKey: task.number) {
            throw JSONNode.Fault(place: 0, reason: "task \(task.number) is already in line \(first)")
        }
        try joins.add(task, line: line, after: place)
        for movie in task.movies {
            sources.insert(movie.source)
            // A part is stored in a directory beside the copy, so its output name may occur several times.
            guard task.work.makesCopies else { continue }
            if let first = outputs.updateValue(line, forKey: movie.output) {
                throw JSONNode.Fault(
                    place: 0, reason: "the output \(movie.output.display) is already in line \(first)")
            }
        }
    }

    /// Returns the first error that concerns the entire plan, with its line.
    func whole() -> (line: Int, fault: JSONNode.Fault)? { insideSources() ?? joins.unjoined() }

    /// Returns the first output, in the order of lines, whose path is a source or is below a source.
    private func insideSources() -> (line: Int, fault: JSONNode.Fault)? {
        var found: (line: Int, fault: JSONNode.Fault)?
        for (output, line) in outputs where line < found?.line ?? .max {
            var path = output
            while path.bytes.count > 1 {
                if sources.contains(path) {
                    let place = path == output ? "is a source" : "is inside the source \(path.display)"
                    found = (line, JSONNode.Fault(place: 0, reason: "the output \(output.display) \(place)"))
                    break
                }
                path = path.directory
            }
        }
        return found
    }
}
