/// Reports to the service manager that a program is ready; does nothing without one (sd_notify(3)).
package enum ServiceReadiness {
    /// Reports readiness.
    ///
    /// - Parameter words: The text for `systemctl status`.
    package static func notify(_ words: String) { ServiceNotifier()?.send([.ready, .status(words)]) }
}
