import Foundation
import TestSupport
import Testing

/// What scripts/install and the Debian package bring, judged by the programs that will read it.
@Suite(.timeLimit(.minutes(2))) struct InstallTests {
    private let project = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().path

    private func run(_ words: String...) throws -> TestSupport.Command {
        let result = try TestSupport.Command.run(words)
        #expect(result.status == 0, "\(words.joined(separator: " ")): \(result.text)\(result.errors)")
        return result
    }

    /// scripts/install of the built command, below a directory of its own.
    private func installed(_ body: (String) async throws -> Void) async throws {
        try await Command.inDirectory { command in
            let tree = command.path("tree")
            _ = try run(
                "\(project)/scripts/install", "--prefix", "/usr", "--destdir", tree, "--binary", command.executablePath)
            try await body(tree)
        }
    }

    private func files(below directory: String) -> [String] {
        let all = FileManager.default.enumerator(atPath: directory)?.compactMap { $0 as? String } ?? []
        return all.filter { path in
            var isDirectory: ObjCBool = false
            _ = FileManager.default.fileExists(atPath: "\(directory)/\(path)", isDirectory: &isDirectory)
            return !isDirectory.boolValue
        }
    }

    /// The threshold is in tenths: `systemd-analyze security` says 2.0 or better.
    @Test func systemdFindsTheUnitSafe() throws {
        _ = try run(
            "systemd-analyze", "security", "--no-pager", "--offline=true", "--threshold=20",
            "\(project)/systemd/recorder@.service")
    }

    @Test func theUnitSaysNothingThatSystemdDoesNotKnow() async throws {
        try await installed { tree in
            // Under a prefix the program is not where the unit says; everything else must be understood.
            let unit = tree + "/usr/lib/systemd/system/recorder@.service"
            let text = try String(contentsOfFile: unit, encoding: .utf8)
            try text.replacing("ExecStart=/usr/bin/", with: "ExecStart=\(tree)/usr/bin/")
                .write(toFile: unit, atomically: true, encoding: .utf8)
            let told = try run("systemd-analyze", "verify", "--man=no", "--recursive-errors=no", unit)
            #expect(!told.errors.contains("recorder@.service"), "\(told.errors)")
        }
    }

    @Test func everyCommandHasAManPageThatRendersWithoutAWarning() async throws {
        try await installed { tree in
            let pages = files(below: tree + "/usr/share/man/man1").sorted()
            #expect(pages.count >= 10 && pages.contains("recorder.1") && pages.contains("recorder-start.1"))
            for page in pages {
                let path = "\(tree)/usr/share/man/man1/\(page)"
                let shown = try run("env", "LC_ALL=C.UTF-8", "MANWIDTH=80", "man", "--warnings", "-l", path)
                #expect(shown.errors.isEmpty, "\(page): \(shown.errors)")
                for part in ["NAME", "SYNOPSIS", "OPTIONS", "EXAMPLES", "EXIT STATUS"] {
                    #expect(shown.text.contains("\n\(part)\n"), "\(page) has no \(part)")
                }
                let name = page.dropLast(".1".count)
                let first = try run("lexgrog", path)
                #expect(first.text.contains("\(name) - "))
            }
        }
    }

    @Test func everyShellReadsItsCompletions() async throws {
        try await installed { tree in
            let share = tree + "/usr/share"
            _ = try run("zsh", "-n", share + "/zsh/vendor-completions/_recorder")
            _ = try run("fish", "-n", share + "/fish/vendor_completions.d/recorder.fish")
            let complete = """
                . \(share)/bash-completion/completions/recorder
                COMP_WORDS=(recorder sta) COMP_CWORD=1 COMP_LINE='recorder sta' COMP_POINT=12
                _recorder recorder sta recorder
                printf '%s\\n' "${COMPREPLY[@]}"
                """
            let words = try run("bash", "-c", complete).text.split(separator: "\n").map {
                $0.trimmingCharacters(in: .whitespaces)
            }
            #expect(Set(words) == ["start", "status"])
        }
    }

    @Test func uninstallingLeavesNothing() async throws {
        try await installed { tree in
            let there = files(below: tree)
            #expect(there.contains("usr/bin/recorder") && there.contains("usr/lib/udev/rules.d/90-recorder.rules"))
            _ = try run("\(project)/scripts/install", "--uninstall", "--prefix", "/usr", "--destdir", tree)
            #expect(files(below: tree).isEmpty)
        }
    }

    @Test func theUnitNamesTheCommandWhereItIs() async throws {
        try await Command.inDirectory { command in
            let tree = command.path("tree")
            _ = try run("\(project)/scripts/install", "--destdir", tree, "--binary", command.executablePath)
            let unit = try String(
                contentsOfFile: tree + "/usr/local/lib/systemd/system/recorder@.service", encoding: .utf8)
            #expect(unit.contains("\nExecStart=/usr/local/bin/recorder run %i\n"))
        }
    }
}
