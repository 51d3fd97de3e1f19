/// A camera that libcamera lists.
package struct CameraListing: Sendable, Hashable {
    /// The side of the machine at which a camera is mounted.
    package enum Location: UInt32, Sendable, Hashable {
        case unknown, front, back, external
    }

    /// The identifier by which libcamera finds the camera again; never empty.
    package var identifier: String
    /// The model of the sensor; empty if unknown.
    package var model: String
    package var location: Location
    /// The clockwise rotation of the mounted camera, in degrees.
    package var rotation: Int

    package init(identifier: String, model: String, location: Location = .unknown, rotation: Int = 0) {
        self.identifier = identifier
        self.model = model
        self.location = location
        self.rotation = rotation
    }
}

/// A control of a camera, as libcamera describes it.
package struct ControlListing: Sendable, Hashable {
    package enum Kind: UInt32, Sendable, Hashable {
        case boolean = 1
        case integer, float
    }

    /// libcamera's name, such as `AnalogueGain`; never empty.
    package var name: String
    package var kind: Kind
    package var minimum: Double
    package var maximum: Double
    /// The value that the camera begins with; nil if unknown.
    package var initial: Double?

    package init(name: String, kind: Kind, minimum: Double, maximum: Double, initial: Double? = nil) {
        self.name = name
        self.kind = kind
        self.minimum = minimum
        self.maximum = maximum
        self.initial = initial
    }
}

/// One valid value of a control that accepts only certain values.
package struct ControlChoice: Sendable, Hashable {
    package var value: Double
    /// libcamera's name of the value; empty if it has none.
    package var name: String

    package init(value: Double, name: String) {
        self.value = value
        self.name = name
    }
}
