package import CommandInterface
import Foundation

/// The names of recorders that this user may mean: those that have recorded something, are configured, or run.
package struct KnownRecorders: Sendable {
    private let state: StateDirectory
    private let runtime: RuntimeDirectory

    package init(in state: StateDirectory = StateDirectory(), _ runtime: RuntimeDirectory = RuntimeDirectory()) {
        self.state = state
        self.runtime = runtime
    }

    /// Those with a catalogue, in the order of the alphabet.
    package var recorded: [RecordingName] {
        let files = (try? FileManager.default.contentsOfDirectory(atPath: state.path)) ?? []
        let names = files.compactMap { file in
            [".finished.sqlite", ".finished.jsonl"].first { file.hasSuffix($0) }.map { String(file.dropLast($0.count)) }
        }
        return Set(names).sorted().compactMap { try? RecordingName(parsing: $0) }
    }

    /// - Throws: what to tell the person when nobody knows it.
    package func check(_ name: RecordingName) throws(OptionError) {
        let source = ConfigurationSource(name)
        guard !RecordingCatalogue(name, in: state).isThere, !runtime.isRunning(name),
            RecorderEnds(in: state, runtime).end(of: name) == nil,
            !source.directories.contains(where: { OutputLocation.isThere("\($0)/\(name).yaml") })
        else { return }
        throw OptionError("\(name) has recorded nothing, and there is no \(name).yaml")
    }
}
