/// White balance, set by the camera's controls.
extension AVCaptureDevice {
    public enum WhiteBalanceMode: Int, Sendable {
        case locked = 0
        /// Sets the white balance once and keeps it.
        case autoWhiteBalance = 1
        case continuousAutoWhiteBalance = 2
    }

    public func isWhiteBalanceModeSupported(_ whiteBalanceMode: WhiteBalanceMode) -> Bool {
        rules.supports(whiteBalanceMode)
    }

    /// The mode, as the camera reports it. Setting it requires the configuration lock and a supported mode.
    public var whiteBalanceMode: WhiteBalanceMode {
        get { rules.whiteBalanceMode(controlValues) }
        set { change("whiteBalanceMode", rules.whiteBalance(newValue)) }
    }

    /// Always false: V4L2 cameras have a color temperature instead of gains. `setWhiteBalance(temperature:)` sets it.
    public var isLockingWhiteBalanceWithCustomDeviceGainsSupported: Bool { false }
    /// Always false: cameras do not report when they adjust the white balance.
    public var isAdjustingWhiteBalance: Bool { false }
}
