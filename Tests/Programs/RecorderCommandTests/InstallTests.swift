import Foundation
import Glibc
import RecorderStorage
import TestSupport
import Testing

/// The files of scripts/install and the Debian package, judged by the programs that read them.
@Suite(.timeLimit(.minutes(10))) struct InstallTests {
    private let project = Project.path()

    private func run(_ words: String...) throws -> TestSupport.Command {
        let result = try TestSupport.Command.run(words)
        #expect(result.status == 0, "\(words.joined(separator: " ")): \(result.text)\(result.errors)")
        return result
    }

    /// The result of scripts/install with the built command, shared by all tests that only read it.
    private static let installation = Result {
        let tree = "/tmp/rec-installed-\(getpid())"
        atexit { try? FileManager.default.removeItem(atPath: "/tmp/rec-installed-\(getpid())") }
        let installed = try TestSupport.Command.run(
            Project.path("scripts/install"), "--prefix", "/usr", "--destdir", tree, "--binary", Command.executable.path)
        guard installed.status == 0 else { throw TestSupport.Command.Failure(description: installed.errors) }
        return tree
    }

    /// - Parameter body: receives the installation's directory, and must not change it.
    private func installed(_ body: (String) async throws -> Void) async throws {
        try await body(try Self.installation.get())
    }

    private func files(below directory: String) -> [String] {
        let all = FileManager.default.enumerator(atPath: directory)?.compactMap { $0 as? String } ?? []
        return all.filter { path in
            var isDirectory: ObjCBool = false
            _ = FileManager.default.fileExists(atPath: "\(directory)/\(path)", isDirectory: &isDirectory)
            return !isDirectory.boolValue
        }
    }

    private static let units = [
        "recorder@.service", "recorder-copy@.service", "recorder-publish@.service", "recorder-web.service",
    ]

    /// The threshold is in tenths: `systemd-analyze security` must report 2.0 or better.
    @Test(arguments: units)
    func unit_passesSystemdSecurity(name: String) throws {
        _ = try run(
            "systemd-analyze", "security", "--no-pager", "--offline=true", "--threshold=20",
            "\(project)/systemd/\(name)")
    }

    /// Without a group, only the user `recorder` could connect to the socket. The proxy is in the group.
    @Test func unit_ofThePage_admitsTheGroupOfTheProxy() throws {
        let text = try String(contentsOfFile: "\(project)/systemd/recorder-web.service", encoding: .utf8)
        let group = try #require(text.firstMatch(of: /\nGroup=(.+)\n/)).1
        #expect(text.contains(try Regex("\nExecStart=.* --group \(group)\n")))
    }

    @Test(arguments: units)
    func unit_passesSystemdVerify(name: String) async throws {
        try await installed { tree in
            // Under a prefix, the program is not at the unit's path. Everything else must be valid.
            let place = try TemporaryDirectory()
            let unit = place.path(name)
            let text = try String(contentsOfFile: "\(tree)/usr/lib/systemd/system/\(name)", encoding: .utf8)
            try text.replacing("ExecStart=/usr/", with: "ExecStart=\(tree)/usr/")
                .write(toFile: unit, atomically: true, encoding: .utf8)
            let told = try run("systemd-analyze", "verify", "--man=no", "--recursive-errors=no", unit)
            #expect(!told.errors.contains(name), "\(told.errors)")
        }
    }

    @Test func manPages_renderWithoutWarnings() async throws {
        try await installed { tree in
            let pages = files(below: tree + "/usr/share/man/man1").sorted()
            let help = try run(Command.executable.path, "--experimental-dump-help")
            let list = try JSONDecoder().decode(HelpTests.Commands.self, from: help.output).command
            let commands = (list.subcommands ?? []).filter { $0.shouldDisplay && $0.commandName != "help" }
            #expect(commands.count >= 10)
            let missing = Set(["recorder.1"] + commands.map { "recorder-\($0.commandName).1" }).subtracting(pages)
            #expect(missing.isEmpty, "\(missing)")
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

    @Test func manPage_ofStart_hasEveryOptionAndItsNegation() async throws {
        try await installed { tree in
            let path = tree + "/usr/share/man/man1/recorder-start.1"
            let page = try run("env", "LC_ALL=C.UTF-8", "MANWIDTH=80", "man", "-l", path).text
            for setting in RecordingSetting.all {
                #expect(page.contains(try Regex("\n       (?:-[a-z], )?\(setting.flag)[ \n]")), "\(setting.key)")
            }
            #expect(page.contains(/\n +-o, --output/))
            for flag in ["align", "armed", "overwrite"] {
                #expect(page.contains("--no-\(flag)\n              Not --\(flag), whatever the configuration says."))
            }
            #expect(!page.contains("report-descriptor"))
        }
    }

    @Test func manPage_ofTheConfiguration_hasEveryKey() async throws {
        try await installed { tree in
            let path = tree + "/usr/share/man/man5/recorder.yaml.5"
            let page = try run("env", "LC_ALL=C.UTF-8", "MANWIDTH=80", "man", "--warnings", "-l", path)
            #expect(page.errors.isEmpty, "\(page.errors)")
            for part in ["NAME", "SYNOPSIS", "THE FILE", "KEYS", "HOOKS", "SEE ALSO"] {
                #expect(page.text.contains("\n\(part)\n"), "no \(part)")
            }
            let keys = try #require(page.text.firstMatch(of: /\nKEYS\n((?:.|\n)*?)\n\n?[A-Z]/)).1
            for setting in RecordingSetting.all {
                #expect(keys.contains(try Regex("(?:^|\n|, |       )\(setting.key)(?:,| |\n)")), "\(setting.key)")
            }
            #expect(try run("lexgrog", path).text.contains("recorder.yaml - "))
        }
    }

    @Test func sbom_listsThePackagesInTheProgram() throws {
        let directory = try TemporaryDirectory()
        let list = try run(Project.path("scripts/sbom"), Command.executable.path).output
        try list.write(to: directory.file("recorder.spdx.json"))
        let validator = Project.path(".build/judges/bin/pyspdxtools")
        _ = try run(validator, "--infile", directory.path("recorder.spdx.json"))
        struct Document: Decodable {
            struct Package: Decodable { var name, versionInfo, licenseDeclared: String }
            var packages: [Package]
        }
        let packages = try JSONDecoder().decode(Document.self, from: list).packages
        // Debian's names of libraries end with their version, which each release has its own of.
        for name in ["recorder", "swift-nio", "yams", "libx264-[0-9]+", "libavcodec[0-9]+"] {
            let expression = try Regex(name)
            #expect(packages.filter { $0.name.wholeMatch(of: expression) != nil }.count == 1, "\(name)")
        }
        #expect(packages.allSatisfy { !$0.versionInfo.isEmpty && $0.licenseDeclared != "NOASSERTION" })
        // This package is resolved, but the program does not use it.
        #expect(!packages.contains { $0.name == "swift-nio-ssl" })
    }

    /// An example path in a home directory would exist on no other machine.
    @Test func documentation_namesNoHomeDirectory() throws {
        let pages = files(below: project + "/docs").map { "docs/" + $0 } + ["README.md", "Examples/README.md"]
        for page in pages {
            // An image is not UTF-8, but may contain a path all the same.
            let bytes = try Data(contentsOf: URL(fileURLWithPath: "\(project)/\(page)"))
            #expect(bytes.range(of: Data("/home/".utf8)) == nil, "\(page)")
        }
    }

    @Test func completions_areReadByEveryShell() async throws {
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

    /// Command lines with an unfinished last word, and a shell's completion next to `movie.mov`, `movie.png` and
    /// `movie.yaml`.
    private static let begun = [
        ("info movie.m", "movie.mov"), ("frames movie.m", "movie.mov"), ("waveform movie.m", "movie.mov"),
        ("start --output mov", "movie.mov"),
        ("config check mov", "movie.yaml"), ("frames movie.mov --output mov", "movie.png"), ("reload fro", "front"),
    ]

    private func withMovies(_ body: (_ tree: String, Command) async throws -> Void) async throws {
        try await installed { tree in
            try await Command.inDirectory { command in
                for ending in ["mov", "png", "yaml"] {
                    try Data().write(to: URL(fileURLWithPath: command.path("work/movie.\(ending)")))
                }
                try await ServedRecording.serve(
                    ServedRecording(RecordingStatus(name: "front", state: .recording)), in: command
                ) { try await body(tree, command) }
            }
        }
    }

    private func inWorld(_ command: Command, _ tree: String) -> [String] {
        [
            "env", "-C", command.path("work"), "HOME=\(command.path("home"))", "XDG_RUNTIME_DIR=\(command.path("run"))",
            "PATH=\(tree)/usr/bin:/usr/bin:/bin",
        ]
    }

    @Test func bash_completesFilesAndNames() async throws {
        try await withMovies { tree, command in
            for (line, whole) in Self.begun {
                let words = ["recorder"] + line.split(separator: " ").map(String.init)
                let script = """
                    . \(tree)/usr/share/bash-completion/completions/recorder
                    COMP_WORDS=(\(words.joined(separator: " "))) COMP_CWORD=\(words.count - 1)
                    COMP_LINE='recorder \(line)' COMP_POINT=\(line.utf8.count + 9)
                    _recorder recorder \(words[words.count - 1]) \(words[words.count - 2])
                    printf '%s\\n' "${COMPREPLY[@]}"
                    """
                let told = try TestSupport.Command.run(inWorld(command, tree) + ["bash", "-c", script])
                #expect(told.text.split(whereSeparator: \.isWhitespace).contains { $0 == whole }, "\(line): \(told)")
            }
        }
    }

    @Test func fish_completesFilesAndNames() async throws {
        try await withMovies { tree, command in
            for (line, whole) in Self.begun {
                let script =
                    "source \(tree)/usr/share/fish/vendor_completions.d/recorder.fish; complete -C 'recorder \(line)'"
                let told = try TestSupport.Command.run(inWorld(command, tree) + ["fish", "-c", script])
                #expect(told.text.split(whereSeparator: \.isWhitespace).contains { $0 == whole }, "\(line): \(told)")
            }
        }
    }

    @Test func zsh_completesFilesAndNames() async throws {
        try await withMovies { tree, command in
            let load = """
                fpath=(\(tree)/usr/share/zsh/vendor-completions $fpath); PATH=\(tree)/usr/bin:$PATH
                autoload -Uz compinit; compinit -u -d \(command.path("dump")); echo rea''dy\r
                """
            for (line, whole) in Self.begun {
                let rest = whole.dropFirst(line.split(separator: " ").last?.count ?? 0)
                let steps: [Terminal.Step] = [
                    .type(load), .await("ready\r\n"), .type("recorder \(line)\t"), .await(String(rest)),
                    .signal(SIGHUP),
                ]
                let screen = try Terminal.run(steps, ["zsh", "-f", "-i"], in: command)
                #expect(screen.failed == nil, "\(line): \(screen.shown)")
            }
        }
    }

    /// A line of debian/PACKAGE.install as an expression: a file, or a directory and everything in it.
    private func expression(_ pattern: String) throws -> Regex<AnyRegexOutput> {
        let text = pattern.replacing(".", with: "\\.").replacing("[!", with: "[^").replacing("*", with: "[^/]*")
        return try Regex(text + "(/.*)?")
    }

    @Test func debianPackages_everyInstalledFile_isInOne() async throws {
        try await installed { tree in
            let all = files(below: tree)
            var owners: [String: [String]] = [:]
            for package in ["recorder", "recorder-web"] {
                let list = try String(contentsOfFile: "\(project)/debian/\(package).install", encoding: .utf8)
                for line in list.split(separator: "\n") where !line.hasPrefix("#") {
                    let matcher = try expression(String(line))
                    let matches = all.filter { $0.wholeMatch(of: matcher) != nil }
                    // The lists of components, which debian/rules makes.
                    #expect(!matches.isEmpty || line.hasPrefix("usr/share/doc/"), "\(package): \(line)")
                    for file in matches { owners[file, default: []].append(package) }
                }
            }
            for file in all { #expect(owners[file]?.count == 1, "\(file): \(owners[file] ?? [])") }
            for file in ["bin/recorder-web", "share/man/man1/recorder-web.1", "share/recorder/page/index.html"] {
                #expect(owners["usr/\(file)"] == ["recorder-web"], "\(file)")
            }
        }
    }

    @Test func uninstall_leavesNoFiles() async throws {
        try await installed { installed in
            let place = try TemporaryDirectory()
            let tree = place.path("tree")
            _ = try run("cp", "-a", installed, tree)
            let there = files(below: tree)
            #expect(Set(there) == Set(files(below: installed)))
            #expect(there.contains("usr/bin/recorder") && there.contains("usr/lib/udev/rules.d/90-recorder.rules"))
            _ = try run("\(project)/scripts/install", "--uninstall", "--prefix", "/usr", "--destdir", tree)
            #expect(files(below: tree).isEmpty)
        }
    }

    @Test func unit_defaultPrefix_namesTheInstalledCommand() async throws {
        try await Command.inDirectory { command in
            let tree = command.path("tree")
            _ = try run("\(project)/scripts/install", "--destdir", tree, "--binary", command.executablePath)
            let unit = try String(
                contentsOfFile: tree + "/usr/local/lib/systemd/system/recorder@.service", encoding: .utf8)
            #expect(unit.contains("\nExecStart=/usr/local/bin/recorder run %i\n"))
        }
    }
}
