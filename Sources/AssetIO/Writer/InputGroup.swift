public import MediaTypes

/// Inputs whose tracks stand for each other, as one film's sound in several languages: players choose one.
///
/// In the file they share an alternate group (QTFF, "Track Header Atoms").
public final class InputGroup: Sendable {
    public let inputs: [AssetWriterInput]
    /// The one that plays when nobody has chosen: its track is enabled and the others' are not. nil: as each input says.
    public let defaultInput: AssetWriterInput?

    /// - Throws: `invalidSettings` for fewer than two inputs, one that is there twice, several media types, or a default
    ///   input that is not among them.
    public init(inputs: [AssetWriterInput], defaultInput: AssetWriterInput? = nil) throws(MediaError) {
        let action = "cannot group inputs"
        guard inputs.count > 1 else {
            throw MediaError(.invalidSettings, action, reason: "a choice is one between two at least")
        }
        guard Set(inputs.map(ObjectIdentifier.init)).count == inputs.count else {
            throw MediaError(.invalidSettings, action, reason: "one of them is there twice")
        }
        guard Set(inputs.map(\.mediaType)).count == 1 else {
            throw MediaError(.invalidSettings, action, reason: "they are of several media types")
        }
        if let defaultInput, !inputs.contains(where: { $0 === defaultInput }) {
            throw MediaError(.invalidSettings, action, reason: "the default input is not among them")
        }
        self.inputs = inputs
        self.defaultInput = defaultInput
    }
}

extension AssetWriter {
    /// Groups of inputs that stand for each other.
    public var inputGroups: [InputGroup] { core.groups }

    /// Whether `add` would take the group: its inputs are this writer's, none is in a group, and writing has not started.
    public func canAdd(_ group: InputGroup) -> Bool { core.canAdd(group) }

    /// - Throws: `invalidState` once writing has started, or when an input belongs to another writer or to a group.
    public func add(_ group: InputGroup) throws(MediaError) { try core.add(group) }
}
