import Foundation
import TestSupport

/// The output of a program on a terminal of its own (Tests/Judges/terminal.py).
struct Terminal: Decodable {
    /// An action of the user.
    enum Step: Encodable {
        /// Waits until this text is shown.
        case await(String)
        case type(String)
        case signal(Int32)
        /// Creates an empty file, which signals progress to the caller.
        case tell(String)

        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            switch self {
            case .await(let text): try container.encode(["await": text])
            case .type(let text): try container.encode(["type": text])
            case .signal(let number): try container.encode(["signal": number])
            case .tell(let path): try container.encode(["tell": path])
            }
        }
    }

    let shown: String
    let status: Int32
    /// The step that failed.
    let failed: [String: String]?

    static func run(_ steps: [Step], _ words: [String], in command: Command) throws -> Terminal {
        let judge = Project.path("Tests/Judges/terminal.py")
        let text = String(decoding: try JSONEncoder().encode(steps), as: UTF8.self)
        let run = try TestSupport.Command.run(
            [
                "env", "-C", command.path("work"), "HOME=\(command.path("home"))",
                "XDG_RUNTIME_DIR=\(command.path("run"))",
            ]
                + ["python3", judge, text] + words)
        return try JSONDecoder().decode(Terminal.self, from: run.output)
    }
}
