import Foundation

/// Servers on the loopback interface, each at a port of its own.
public enum Loopback {
    /// Starts a server and waits until it answers. If it ends because its port was taken meanwhile, it is started again
    /// at another port.
    ///
    /// - Parameters:
    ///   - errors: file for its error output.
    ///   - launch: parameters of its start at a port.
    /// - Throws: the server's error output if it does not start.
    public static func serve(
        errors: String, _ launch: (Int) throws -> ChildProgram.Launch
    ) throws -> (ChildProgram, port: Int) {
        for _ in 0..<5 {
            let port = try freePort()
            var launch = try launch(port)
            launch.errors = errors
            let program = try ChildProgram(launch)
            var comes = false
            _ = eventually {
                comes = answers(port)
                return comes || program.status != nil
            }
            if comes && program.status == nil { return (program, port) }
            program.send(SIGKILL)
            _ = program.wait()
        }
        let said = (try? String(contentsOfFile: errors, encoding: .utf8)) ?? ""
        throw Command.Failure(description: "a server does not come up: \(said.suffix(2000))")
    }

    /// Returns a port that no program listens on at this moment. It is below the ports that the system assigns to
    /// clients (`net.ipv4.ip_local_port_range`): no client gets it by chance before the server starts, and a client
    /// that connects too early does not reach itself.
    private static func freePort() throws -> Int {
        for _ in 0..<100 {
            let port = Int.random(in: 12_000..<32_000)
            let isFree = try withSocket(port) { socket, address in
                withUnsafePointer(to: &address) {
                    $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(socket, $0, size) } == 0
                }
            }
            if isFree { return port }
        }
        throw Command.Failure(description: "no port is free")
    }

    private static func answers(_ port: Int) -> Bool {
        (try? withSocket(port) { socket, address in
            withUnsafePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(socket, $0, size) } == 0
            }
        }) ?? false
    }

    private static let size = socklen_t(MemoryLayout<sockaddr_in>.size)

    private static func withSocket<Result>(
        _ port: Int, _ body: (Int32, inout sockaddr_in) throws -> Result
    ) throws -> Result {
        let socket = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard socket >= 0 else { throw Command.Failure(description: "no socket") }
        defer { close(socket) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        address.sin_port = UInt16(port).bigEndian
        return try body(socket, &address)
    }
}
