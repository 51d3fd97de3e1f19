/// Reports to the service manager that a program is ready (sd_notify(3)). Does nothing without a service manager.
package enum ServiceReadiness {
    /// Reports readiness.
    ///
    /// - Parameter words: The text for `systemctl status`.
    package static func notify(_ words: String) { ServiceNotifier()?.send([.ready, .status(words)]) }
}
