import Foundation
import TestSupport

/// What a program showed on a terminal of its own (Tests/Judges/terminal.py).
struct Terminal: Decodable {
    /// What a person does.
    enum Step: Encodable {
        /// Waits until it is shown.
        case await(String)
        case type(String)
        case signal(Int32)
        /// Makes an empty file: whoever started it hears how far it is.
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
    /// The step that nothing came of.
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
