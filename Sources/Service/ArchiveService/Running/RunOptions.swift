import CommandInterface
import FileSystem
import Foundation
package import MediaTypes

/// The options of a run, stored in the plan's directory for `resume`.
package struct RunOptions: Sendable, Hashable, Codable {
    package enum Engine: String, Sendable, Hashable, Codable, CaseIterable { case local, slurm }

    package var engine = Engine.local
    /// The number of parallel tasks; nil for as many as the machine or Slurm can run.
    package var jobs: Int?
    /// The niceness of the workers on this machine.
    package var niceness = 19
    /// True if sources are deleted once their copies are safe.
    package var replaces = false
    /// True if sources are deleted even if their copies lack something; nil in the options of earlier versions.
    package var replacesIncomplete: Bool?
    /// A working directory on a disk of the worker's machine; nil to work beside the outputs.
    package var stage: String?
    package var slurm = SlurmOptions()

    package init() {}

    package static func load(_ directory: RunDirectory) -> RunOptions? {
        FileContents.bytes(of: directory.options).flatMap {
            try? JSONDecoder().decode(RunOptions.self, from: Data($0))
        }
    }

    package func save(_ directory: RunDirectory) throws(MediaError) {
        try AtomicFile.write((JSONText.line(self) + "\n").utf8, to: directory.options, overwrite: true)
    }
}
