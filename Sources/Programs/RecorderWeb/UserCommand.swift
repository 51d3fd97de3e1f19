import ArgumentParser
import CommandInterface
import Foundation
import MediaTypes
import WebService

/// `recorder web user`
struct UserCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "user", _superCommandName: "recorder web", abstract: "Manages the accounts of the web page.",
        subcommands: [AddUserCommand.self, RemoveUserCommand.self, ListUsersCommand.self])
}

/// `recorder web user add`
struct AddUserCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add", abstract: "Adds an account, or changes its password and role.",
        discussion: """
            Asks for the password; without a terminal, reads it from the first line of standard input. \
            Ends the account's existing sessions.
            """)

    @Argument(help: "Account name: up to 64 bytes without spaces, e.g. ann.")
    var name: String

    @Option(help: "Role: viewer (watch, play and export) or operator (also control recorders, delete recordings).")
    var role: UserAccount.Role = .viewer

    @OptionGroup var place: AccountPlace

    func run() throws {
        guard UserAccount.isName(name) else {
            throw ValidationError("invalid name “\(name.prefix(80))”; use up to 64 bytes without spaces")
        }
        let password = try Password.ask("Password for \(name): ")
        let account = UserAccount(
            name: name, role: role, password: try PasswordHash.make(password), changed: Date().timeIntervalSince1970)
        try place.file.set(account)
        StandardOutput.line("\(name) can log in as \(role.rawValue)")
    }
}

/// `recorder web user remove`
struct RemoveUserCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove", abstract: "Removes an account and ends its sessions.")

    @Argument(help: "Account name.")
    var name: String

    @OptionGroup var place: AccountPlace

    func run() throws {
        guard try place.file.remove(name) else {
            throw MediaError(
                .notFound, "cannot remove \(name.prefix(80))", reason: "there is no such account",
                wayOut: "`recorder web user list` lists the accounts")
        }
        StandardOutput.line("\(name) removed")
    }
}

/// `recorder web user list`
struct ListUsersCommand: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "list", abstract: "Lists accounts and their roles.")

    @OptionGroup var place: AccountPlace

    func run() throws {
        for account in try place.file.accounts() {
            StandardOutput.line(
                "\(account.role.rawValue.padding(toLength: 9, withPad: " ", startingAt: 0)) \(account.name)")
        }
    }
}

/// The option for the directory of the accounts.
struct AccountPlace: ParsableArguments {
    @Option(help: .hidden) var state: String?

    var file: AccountFile { AccountFile(in: state.map { FilePath.absolute($0) } ?? WebSettings.stateDirectory()) }
}

extension UserAccount.Role: ExpressibleByArgument {}

/// A password typed by the user.
private enum Password {
    /// Reads a password from standard input. On a terminal the user types it twice, and it is not echoed.
    static func ask(_ prompt: String) throws -> String {
        guard isatty(0) == 1 else { return try checked(readLine() ?? "") }
        guard let first = read(prompt), let second = read("Repeat password: ") else { throw ExitCode.failure }
        guard first == second else { throw ValidationError("the passwords do not match") }
        return try checked(first)
    }

    private static func checked(_ password: String) throws -> String {
        guard PasswordHash.accepts(password) else {
            throw ValidationError(
                "the password must have at least \(PasswordHash.leastCharacters) characters, and at most "
                    + "\(PasswordHash.mostBytes) bytes")
        }
        return password
    }

    private static func read(_ prompt: String) -> String? {
        var before = termios()
        tcgetattr(0, &before)
        var silent = before
        silent.c_lflag &= ~tcflag_t(ECHO)
        tcsetattr(0, TCSAFLUSH, &silent)
        defer {
            tcsetattr(0, TCSAFLUSH, &before)
            StandardError.line("")
        }
        try? FileHandle.standardError.write(contentsOf: Data(prompt.utf8))
        return readLine()
    }
}
