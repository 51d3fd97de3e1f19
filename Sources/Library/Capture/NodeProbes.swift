import Glibc
import RealTime

/// Questions to device nodes, each on a thread of its own, because a driver that hangs in open(2) or an ioctl cannot be
/// interrupted. While a question to a node is not answered, the node is not asked again: a later caller waits for the
/// same answer. So a driver that hangs costs one thread, however often its node is asked.
final class NodeProbes<Answer: Sendable>: Sendable {
    private typealias Box = Locked<Answer?>

    private let ask: @Sendable (String) -> Answer
    /// The questions without an answer, by their nodes.
    private let running = Locked<[String: Box]>([:])

    /// - Parameter ask: Opens a node. May block for ever.
    init(_ ask: @escaping @Sendable (String) -> Answer) { self.ask = ask }

    /// Asks several nodes at once, and waits until all have answered.
    ///
    /// - Parameters:
    ///   - patience: The longest wait, in nanoseconds.
    ///   - isEnough: Returns true for an answer that ends the wait. Must do constant work.
    /// - Returns: The answers in the order of the nodes; nil for each node that has not answered yet.
    func answers(
        of paths: [String], patience: Int64, until isEnough: (Answer) -> Bool = { _ in false }
    ) -> [Answer?] {
        let boxes = paths.map(box(for:))
        let complete = running.waiting(atMost: patience) { _ -> [Answer?]? in
            let answers = Self.answers(in: boxes)
            let isDone = answers.allSatisfy { $0 != nil } || answers.contains { $0.map(isEnough) ?? false }
            return isDone ? answers : nil
        }
        return complete ?? Self.answers(in: boxes)
    }

    private static func answers(in boxes: [Box]) -> [Answer?] { boxes.map { box in box.withLock { $0 } } }

    /// Returns the box for a node's answer, and asks the node if no question to it is running.
    private func box(for path: String) -> Box {
        let key = Self.key(path)
        let (box, isNew) = running.withLock { running -> (Box, Bool) in
            if let box = running[key] { return (box, false) }
            let box = Box(nil)
            running[key] = box
            return (box, true)
        }
        guard isNew else { return box }
        do throws(ThreadError) {
            _ = try NamedThread("node probe") { [ask, running] in
                let answer = ask(path)
                box.withLock { $0 = answer }
                running.withLock { $0[key] = nil }
                running.broadcast()
            }
        } catch {
            running.withLock { $0[key] = nil }
        }
        return box
    }

    /// Identifies a node. A device that was plugged in again has another inode.
    private static func key(_ path: String) -> String {
        var status = stat()
        return stat(path, &status) == 0 ? "\(path) \(status.st_ino)" : path
    }
}
