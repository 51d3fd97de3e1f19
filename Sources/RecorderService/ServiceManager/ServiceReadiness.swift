/// Tells the service manager that a program serves; nothing where none asked (sd_notify(3)).
package enum ServiceReadiness {
    /// - Parameter words: for `systemctl status`.
    package static func tell(_ words: String) { ServiceNotifier()?.send([.ready, .status(words)]) }
}
