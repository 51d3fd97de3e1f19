public import MediaTypes

/// Inputs whose tracks are alternatives, such as a movie's audio in several languages. Players choose one of them.
///
/// In the file they share an alternate group (QTFF, "Track Header Atoms").
public final class InputGroup: Sendable {
    public let inputs: [AssetWriterInput]
    /// The input that plays by default. Its track is enabled, and the tracks of the other inputs are not. If nil, each
    /// input's own setting applies.
    public let defaultInput: AssetWriterInput?

    /// Creates a group.
    ///
    /// - Throws: `invalidSettings` for fewer than two inputs, an input that is listed twice, several media types, or a
    ///   default input that is not in `inputs`.
    public init(inputs: [AssetWriterInput], defaultInput: AssetWriterInput? = nil) throws(MediaError) {
        let action = "cannot group inputs"
        guard inputs.count > 1 else {
            throw MediaError(.invalidSettings, action, reason: "a group needs at least two inputs")
        }
        guard Set(inputs.map(ObjectIdentifier.init)).count == inputs.count else {
            throw MediaError(.invalidSettings, action, reason: "an input is listed twice")
        }
        guard Set(inputs.map(\.mediaType)).count == 1 else {
            throw MediaError(.invalidSettings, action, reason: "the inputs have different media types")
        }
        if let defaultInput, !inputs.contains(where: { $0 === defaultInput }) {
            throw MediaError(.invalidSettings, action, reason: "the default input is not in the group")
        }
        self.inputs = inputs
        self.defaultInput = defaultInput
    }
}

extension AssetWriter {
    /// The groups of alternative inputs.
    public var inputGroups: [InputGroup] { core.groups }

    /// Returns true if `add` would accept the group. Its inputs must be this writer's, none of them may be in a group,
    /// and writing must not have started.
    public func canAdd(_ group: InputGroup) -> Bool { core.canAdd(group) }

    /// Adds a group.
    ///
    /// - Throws: `invalidState` once writing has started, or if an input belongs to another writer or to a group.
    public func add(_ group: InputGroup) throws(MediaError) { try core.add(group) }
}
