import Foundation
import TestSupport
import Testing

/// File names that are not UTF-8, and file names with a time.
@Suite(.timeLimit(.minutes(10))) struct FileNameTests {
    private static let movie = [
        "ffmpeg", "-v", "error", "-f", "lavfi", "-i", "testsrc2=s=160x120:d=1:r=10", "-f", "lavfi", "-i", "sine=d=1",
        "-c:v", "libx264", "-pix_fmt", "yuv420p", "-c:a", "aac",
    ]

    /// Runs a shell in the working directory, with the movie at `$MOVIE` and the command at `$R`.
    private func run(_ script: String, in command: Command) async throws -> Command.Result {
        let movie = try MadeFile.of(Self.movie, ending: "mov").path
        return try await command.start(
            program: "/bin/sh", ["-ec", script], environment: ["MOVIE": movie, "R": command.executablePath]
        ).result()
    }

    @Test func everyCommand_nameThatIsNotUTF8_readsAndWritesThatName() async throws {
        try await Command.inDirectory { command in
            let result = try await run(
                """
                name=$(printf 'latin\\351.mov'); out=$(printf 'bad\\377.mov'); cp "$MOVIE" "$name"
                "$R" info "$name" >/dev/null
                "$R" reencode "$name" -o "$out" --codec passthrough --quiet >printed
                "$R" verify "$name" "$out" >/dev/null
                "$R" frames "$out" --at 0.5s -o "$(printf 'still\\376.png')" --quiet
                "$R" start x --camera test --size 160x120 --microphone none --duration 0.5s --foreground \
                    -o "$(printf 'rec\\375.mov')" >/dev/null 2>&1
                ls | LC_ALL=C od -An -c | tr -d ' \\n'; printf '%s' "$PWD/$out" | cmp - printed 2>&1 | grep -c EOF
                """, in: command)
            #expect(result.exitCode == 0, "\(result.errors)")
            let output = result.output
            for name in ["bad377.mov", "latin351.mov", "rec375.mov", "still376.png"] {
                #expect(output.replacing("\\", with: "").contains(name), "\(output)")
            }
            // The printed name has the file's own bytes, up to the end of the line.
            #expect(output.hasSuffix("1\n"), "\(output)")
        }
    }

    @Test func file_inDirectoryThatIsNotUTF8_opensByRelativePath() async throws {
        try await Command.inDirectory { command in
            let result = try await run(
                """
                folder=$(printf 'd\\351'); mkdir "$folder"; cp "$MOVIE" "$folder/a.mov"; cd "$folder"
                "$R" verify a.mov >/dev/null; "$R" reencode a.mov -o b.mov --quiet >/dev/null; ls
                "$R" info missing.mov
                """, in: command)
            #expect(result.exitCode == 66 && result.outputLines == ["a.mov", "b.mov"], "\(result)")
            #expect(result.errors.contains("/d\\xe9/missing.mov: no such file"), "\(result.errors)")
        }
    }

    @Test func run_timeZoneDescribedByItsRules_namesFilesInLocalTime() async throws {
        try await Command.inDirectory { command in
            let result = try await command.start(
                [
                    "run", "x", "--camera", "test", "--size", "160x120", "--microphone", "none", "--duration", "300ms",
                    "-o", "%Z%z.mov",
                ], environment: ["TZ": "XYZ-5:30"]
            ).result()
            #expect(result.exitCode == 0, "\(result.errors)")
            #expect(command.files(in: "work") == ["XYZ+0530.mov"])
        }
    }

    /// The default directory, the log, the lists and the configuration are all below HOME.
    @Test func start_homeThatIsNotUTF8_recordsBelowIt() async throws {
        try await Command.inDirectory { command in
            let result = try await run(
                """
                HOME="$PWD/$(printf 'h\\351')"; export HOME; mkdir -p "$HOME/.config/recorder"
                printf 'size: 160x120\\nmicrophone: none\\n' >"$HOME/.config/recorder/front.yaml"
                "$R" start front --camera test >/dev/null; "$R" status front >/dev/null
                file=$("$R" stop front); "$R" verify "$file" >/dev/null
                case "$file" in "$HOME"/*) echo below;; esac
                "$R" list front >/dev/null; "$R" config check front | grep -c ok; ls | wc -l
                """, in: command)
            #expect(result.exitCode == 0, "\(result.errors)")
            // Only that directory was made, and none with another name.
            #expect(result.outputLines == ["below", "1", "1"], "\(result)")
        }
    }

    @Test func json_nameThatIsNotUTF8_holdsAPrivateUseCharacter() async throws {
        try await Command.inDirectory { command in
            let result = try await run(
                """
                name=$(printf '\\377.mov'); cp "$MOVIE" "$name"; "$R" reencode "$name" -o o.mov --json --quiet
                """, in: command)
            let object = try JSONSerialization.jsonObject(with: Data(result.output.utf8)) as? [String: Any]
            let inputs = object?["inputs"] as? [String]
            #expect(inputs?.first?.hasSuffix("/\u{10FEFF}.mov") == true, "\(result)")
        }
    }
}
