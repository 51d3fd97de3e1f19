import CLinux
import FileSystem
import Glibc
package import MediaTypes

/// The start of another program by posix_spawn(3).
///
/// The program inherits only the listed descriptors, so that it does not keep a recording's devices and files open. It
/// starts with no signal blocked, and with the default action for signals that this process handles or ignores.
package struct ProgramLaunch {
    /// A descriptor of the program: the file that it opens, or the descriptor that it duplicates.
    package enum Descriptor {
        /// A file, with the flags of open(2). A file that is created gets mode 0644.
        case file(String, Int32)
        /// A copy of a descriptor of this process, or of one that is listed earlier for the program.
        case copy(Int32)
    }

    /// The program's path; nil if the first word is the path.
    package var path: String?
    /// The environment; nil for that of this process.
    package var environment: [String: String]?
    /// True to start the program in a session of its own, so that no terminal sends it HUP or INT. Otherwise it only
    /// gets a process group of its own: Ctrl-C reaches only this process, which sends signals to the group.
    package var hasOwnSession = false

    private let words: [String]
    private let descriptors: [Descriptor]

    /// - Parameters:
    ///   - words: The program's name and its arguments.
    ///   - descriptors: The program's descriptors, from 0 on.
    package init(_ words: [String], descriptors: [Descriptor]) {
        self.words = words
        self.descriptors = descriptors
    }

    /// Starts the program and returns its process ID.
    ///
    /// - Parameter action: The action that an error names as failed, such as “cannot start X”.
    package func start(_ action: String) throws(MediaError) -> Int32 {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for (number, descriptor) in descriptors.enumerated() {
            switch descriptor {
            case .file(let path, let flags):
                _ = PathText.withBytes(path) {
                    posix_spawn_file_actions_addopen(&actions, Int32(number), $0, flags, 0o644)
                }
            case .copy(let source): posix_spawn_file_actions_adddup2(&actions, source, Int32(number))
            }
        }
        clinux_spawn_close_from(&actions, Int32(descriptors.count))

        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var flags = Int16(POSIX_SPAWN_SETSIGMASK) | Int16(POSIX_SPAWN_SETSIGDEF)
        flags |= hasOwnSession ? clinux_spawn_setsid : Int16(POSIX_SPAWN_SETPGROUP)
        posix_spawnattr_setflags(&attributes, flags)
        posix_spawnattr_setpgroup(&attributes, 0)
        var signals = sigset_t()
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        for number in StopSignals.all + [SIGPIPE, SIGXFSZ] { sigaddset(&signals, number) }
        posix_spawnattr_setsigdefault(&attributes, &signals)

        guard let file = strdup(path ?? words[0]) else { throw MediaError(errno: errno, action) }
        var arguments = words.map { strdup($0) } + [nil]
        var variables = (environment ?? [:]).map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { for text in [file] + arguments + variables { free(text) } }
        var process: pid_t = 0
        let code =
            environment == nil
            ? posix_spawn(&process, UnsafePointer(file), &actions, &attributes, &arguments, environ)
            : posix_spawn(&process, UnsafePointer(file), &actions, &attributes, &arguments, &variables)
        guard code == 0 else { throw MediaError(errno: code, action) }
        return process
    }
}
