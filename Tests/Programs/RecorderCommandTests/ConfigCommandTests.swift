import Foundation
import RecorderStorage
import TestSupport
import Testing

/// Configuration files, variables and options from the user's side.
@Suite(.timeLimit(.minutes(10))) struct ConfigCommandTests {
    private func write(_ text: String, _ command: Command, _ name: String = "front.yaml") throws {
        let directory = command.path("home/.config/recorder")
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        try Data(text.utf8).write(to: URL(fileURLWithPath: "\(directory)/\(name)"))
    }

    /// `config check` rejects what `start` would refuse.
    @Test(arguments: [
        ("mirror: /nodir\noutput: WORK/a.mov", "mirror: there is no directory /nodir"),
        ("mirror: WORK/\noutput: WORK/%H.mov", "mirror: it is the directory of the recordings themselves"),
        ("sign: /nodir/front.key", "sign: there is no key file /nodir/front.key"),
        ("output: /nodir/%H.mov", "output: there is no directory /nodir"),
        ("output: /nodir/%Y/%H.mov", "output: there is no directory /nodir"),
    ]) func check_missingPath_isReportedWithItsLine(text: String, words: String) async throws {
        try await Command.inDirectory { command in
            try write("camera: test\n" + text.replacing("WORK", with: command.path("work")) + "\n", command)
            let result = try await command.run("config", "check", "front")
            #expect(result.exitCode == 78 && result.output.isEmpty, "\(result.output)\(result.errors)")
            #expect(result.errors.contains("front.yaml:2: " + words), "\(result.errors)")
        }
    }

    @Test func check_severalMissingPaths_namesEach() async throws {
        try await Command.inDirectory { command in
            let text = "camera: test\nmirror: /nodir\nsign: /dev/null/front.key\noutput: /nodir/%H.mov\n"
            try write(text, command)
            let result = try await command.run("config", "check", "front")
            #expect(result.exitCode == 78 && result.output.isEmpty, "\(result.output)\(result.errors)")
            for words in [
                "front.yaml:2: mirror: there is no directory /nodir",
                "front.yaml:3: sign: there is no key file /dev/null/front.key",
                "front.yaml:4: output: there is no directory /nodir",
            ] { #expect(result.errors.contains(words), "\(result.errors)") }
        }
    }

    @Test func check_existingPaths_succeeds() async throws {
        try await Command.inDirectory { command in
            let work = command.path("work")
            try write("camera: test\nmirror: \(work)\noutput: \(command.path("home"))/%Y/%H.mov\n", command)
            let result = try await command.run("config", "check", "front")
            #expect(result.exitCode == 0, "\(result.errors)")
        }
    }

    @Test func check_skipIdenticalWithAStamp_saysThatItHasNoEffect() async throws {
        try await Command.inDirectory { command in
            let output = "output: \(command.path("work"))/a.mov"
            try write("camera: test\nskip-identical: yes\nstamp: \"%H:%M:%S\"\n\(output)\n", command)
            let result = try await command.run("config", "check", "front")
            #expect(result.exitCode == 0 && result.output.contains("front.yaml: ok"), "\(result.errors)")
            #expect(result.errors.contains("skip-identical has no effect with a stamp"), "\(result.errors)")
            try write("camera: test\nskip-identical: yes\n\(output)\n", command)
            let plain = try await command.run("config", "check", "front")
            #expect(plain.exitCode == 0 && plain.errors.isEmpty, "\(plain.errors)")
        }
    }

    @Test func reload_invalidOrMissingFile_exitsAsCheckDoes() async throws {
        try await Command.inDirectory { command in
            try write("camera: test\nsize: 160x120\noutput: \(command.path("work"))/a.mov\n", command)
            let start = try await command.run("start", "front")
            #expect(start.exitCode == 0, "\(start.errors)")
            try write("camera: test\nsize: enormous\n", command)
            let check = try await command.run("config", "check", "front")
            let reload = try await command.run("reload", "front")
            #expect(check.exitCode == 78 && reload.exitCode == 78, "\(reload.errors)")
            try FileManager.default.removeItem(atPath: command.path("home/.config/recorder/front.yaml"))
            let missing = try await command.run("reload", "front")
            #expect(missing.exitCode == 78 && missing.errors.contains("the file is missing"), "\(missing.errors)")
            #expect(try await command.run("stop", "front").exitCode == 0)
        }
    }

    @Test func reload_recorderInTheForeground_readsItsFile() async throws {
        try await Command.inDirectory { command in
            let lines = "camera: test\nsize: 160x120\noutput: \(command.path("work"))/a.mov\n"
            try write(lines, command)
            let running = try command.start(["start", "front", "--foreground"])
            try await waitUntil { running.output.hasPrefix("recording") }
            try write(lines + "segment: 10m\n", command)
            let reload = try await command.run("reload", "front")
            #expect(reload.exitCode == 0 && reload.output.contains("segment"), "\(reload)")
            running.send(SIGHUP)
            #expect(try await running.result().exitCode == 0)
        }
    }

    @Test func everySetting_isAnOption() async throws {
        let texts = [
            "camera": "test", "microphone": "test", "size": "640x480", "frame-rate": "25", "pixel-format": "mjpeg",
            "control": "gain=1", "crop": "640x480+0+0", "rotate": "90", "flip": "vertical", "scale": "320x240",
            "mask": "0,0 40,0 40,25", "mask-style": "pixelate:16", "stamp": "%H:%M:%S.%3N",
            "stamp-place": "top-right", "stamp-size": "5", "stamp-font": "Noto Sans Mono",
            "codec": "h264", "encoder": "x264", "preset": "fast", "crf": "20", "substream": "320x180@5",
            "key-frame-interval": "1s", "skip-identical": "yes",
            "audio-codec": "aac", "audio-bit-rate": "128k", "channels": "2", "sample-rate": "44100",
            "output": "a-%H.mov", "duration": "10s", "segment": "10m", "segment-size": "2G", "sign": "front.key",
            "mirror": "/mnt/b", "keep-for": "30d",
            "keep-size": "500G", "keep-free": "5G", "reserve": "1G", "keep-range": "clip",
            "pre-roll": "10s", "on-overload": "step-down", "queue-memory": "64M",
            "copy-to": "nas:front", "copy-limit": "2MB/s", "copy-hours": "22:00-06:00", "keep-until-copied": "always",
            "hook": "stop=true", "hook-time-limit": "5s", "activity-threshold": "60", "activity-hold": "1m",
            "control-group": "video", "live-group": "video", "group": "stage", "play-rate": "24",
            "camera-input": "HDMI",
        ]
        // Each of these contradicts one of the others.
        let alone = [
            "bit-rate": "6M", "every": "10s", "camera-credentials": "front.login", "camera-certificate": "front.pem",
            "camera-transport": "auto",
        ]
        let words = RecordingSetting.all.filter { alone[$0.key] == nil }.flatMap { setting in
            texts[setting.key].map { [setting.flag, $0] } ?? [setting.flag]
        }
        try await Command.inDirectory { command in
            for (key, text) in alone {
                let camera = key.hasPrefix("camera-") ? ["--camera", "rtsps://10.0.0.20/stream1"] : []
                let show = try await command.run(["config", "show", "--\(key)", text] + camera)
                #expect(show.outputLines.contains { $0.hasPrefix(key) && $0.hasSuffix("--\(key)") })
            }
            let all = try await command.run(["config", "show", "front", "--json"] + words)
            #expect(all.exitCode == 0, "\(all.errors)")
            let object = try JSONSerialization.jsonObject(with: Data(all.output.utf8)) as? [String: Any]
            let settings = try #require(object?["settings"] as? [[String: Any]])
            for setting in settings where alone[setting["key"] as? String ?? ""] == nil {
                #expect(setting["from"] as? String == "--\(setting["key"] ?? "")")
            }
            #expect(settings.count == RecordingSetting.all.count)
        }
    }

    @Test func show_severalSources_namesTheSourceOfEachSetting() async throws {
        try await Command.inDirectory { command in
            try write("segment: 10m\nhook:\n  stop: echo\n", command)
            let show = try await command.start(
                ["config", "show", "front", "--crf", "20"], environment: ["RECORDER_SIZE": "640x480"]
            ).result()
            #expect(show.exitCode == 0, "\(show.errors)")
            let file = command.path("home/.config/recorder/front.yaml")
            let lines = show.outputLines.map {
                $0.split(separator: " ", omittingEmptySubsequences: true).map(String.init)
            }
            for line in [
                ["segment", "10m", file + ":1"], ["hook", "stop=echo", file + ":3"], ["crf", "20", "--crf"],
                ["size", "640x480", "RECORDER_SIZE"], ["reserve", "100M", "default"], ["duration", "–", "default"],
            ] { #expect(lines.contains(line), "\(line)") }
        }
    }

    @Test func check_unknownKey_isReportedWithItsLine() async throws {
        try await Command.inDirectory { command in
            let none = try await command.run("config", "check", "front")
            #expect(none.exitCode == 78)
            #expect(none.errorLines.count == 1)
            try write("camera: test\n", command)
            try write("camera: test\nsegmant: 10m\n", command, "back.yaml")
            let good = try await command.run("config", "check", "front")
            #expect(good.exitCode == 0)
            #expect(good.output == command.path("home/.config/recorder/front.yaml") + ": ok\n")
            let bad = try await command.run("config", "check", "back")
            #expect(bad.exitCode == 78)
            #expect(
                bad.errors == "recorder: \(command.path("home/.config/recorder/back.yaml")):2: "
                    + "unknown key “segmant”; did you mean “segment”?\n")
            let all = try await command.run("config", "check")
            #expect(all.exitCode == 78)
            #expect(all.outputLines.count == 1)
            #expect(all.errorLines.count == 1)
            let file = try await command.run("config", "check", "../home/.config/recorder/front.yaml")
            #expect(file.exitCode == 0, "\(file.errors)")
            let missing = try await command.run("config", "check", "missing.yaml")
            #expect(missing.exitCode == 78)
        }
    }

    @Test func start_inTheBackground_usesTheConfigurationFile() async throws {
        try await Command.inDirectory { command in
            try write(
                "camera: test\nmicrophone: none\nsize: 320x240\noutput: \(command.path("work"))/%Y/a.mov\n", command)
            let start = try await command.run("start", "front", "--duration", "500ms")
            #expect(start.exitCode == 0, "\(start.errors)")
            let file = try #require(start.output.firstMatch(of: /→ (.*\/work\/\d{4}\/a\.mov) \(pid/)).1
            try await waitUntil { FileManager.default.fileExists(atPath: String(file)) }
            let info = try await command.run("info", "--json", String(file))
            #expect(info.output.contains("320"))
        }
    }

    @Test(arguments: [
        ("size: huge\n", 78), ("align: true\n", 78), ("keep-for: 30\n", 78), ("keep-size: 1\n", 78),
        ("camera: none\nmicrophone: none\n", 78), ("camera: [", 78),
    ])
    func start_invalidConfigurationFile_isAConfigurationError(text: String, exitCode: Int32) async throws {
        try await Command.inDirectory { command in
            try write(text, command)
            let start = try await command.run("start", "front")
            #expect(start.exitCode == exitCode)
            #expect(start.errorLines.count == 1)
            #expect(start.errors.contains("front.yaml:"))
            #expect(!FileManager.default.fileExists(atPath: command.path("home/Videos")))
        }
    }

    @Test func retention_dryRun_listsWhatIsDeletedLater() async throws {
        try await Command.inDirectory { command in
            let state = StateDirectory(environment: ["HOME": command.path("home")])
            let catalogue = RecordingCatalogue(try RecordingName(parsing: "front"), in: state)
            for name in ["a.mov", "b.mov", "c.mov"] {
                try Data(count: 1_000_000).write(to: URL(fileURLWithPath: command.path("work/\(name)")))
                if name != "c.mov" { try catalogue.add(command.path("work/\(name)")) }
            }
            try write("output: \(command.path("work"))/%H.mov\nkeep-size: 1500k\n", command)
            let dry = try await command.run("retention", "front", "--dry-run")
            #expect(dry.exitCode == 0, "\(dry.errors)")
            #expect(dry.output == "\(command.path("work/a.mov")) · 1.0 MB · more than 1500k in total\n")
            #expect(command.files(in: "work") == ["a.mov", "b.mov", "c.mov"])
            let json = try await command.run("retention", "front", "--json", "--dry-run", "--keep-size", "10M")
            #expect(json.output == "{\"dryRun\":true,\"removals\":[]}\n")
            let real = try await command.run("retention", "front")
            #expect(real.output == dry.output)
            #expect(command.files(in: "work") == ["b.mov", "c.mov"])
            let other = try await command.run("retention")
            #expect(other.exitCode == 0)
            #expect(other.errors.contains("has no retention rules"))
        }
    }
}
