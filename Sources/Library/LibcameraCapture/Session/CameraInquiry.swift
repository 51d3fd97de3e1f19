/// A camera that libcamera lists, with its controls.
package struct LibcameraDevice: Sendable, Hashable {
    /// A control that holds one number.
    package struct Control: Sendable, Hashable {
        package var listing: ControlListing
        /// The valid values, if only some are valid.
        package var choices: [ControlChoice] = []

        package init(listing: ControlListing, choices: [ControlChoice] = []) {
            self.listing = listing
            self.choices = choices
        }
    }

    package var listing: CameraListing
    /// The numbers of the video nodes that the camera is made of (`st_rdev` of stat(2)); empty if unknown.
    package var nodes: [UInt64] = []
    package var controls: [Control] = []

    package init(listing: CameraListing, nodes: [UInt64] = [], controls: [Control] = []) {
        self.listing = listing
        self.nodes = nodes
        self.controls = controls
    }
}

/// Asks a helper for all cameras and their controls. The helper opens no camera. A plain value; times are nanoseconds
/// of the monotonic clock.
///
/// The owner passes in each received message and the time, and carries out the returned action.
package struct CameraInquiry: Sendable {
    package enum Action: Sendable, Hashable {
        case nothing
        case send(RecorderMessage)
        /// Every camera is known. End the helper.
        case done
        /// The inquiry failed. End the helper.
        case end(SessionEnd)
    }

    private enum Phase: Equatable {
        case greeting, listing
        /// The camera whose controls are listed.
        case describing(Int)
        case ended
    }

    /// The time limit of each step. In the first step, libcamera searches for cameras.
    static let patience: Int64 = 10_000_000_000
    /// The time limit of all steps together, because a helper may list any number of cameras.
    static let patienceInAll: Int64 = 60_000_000_000
    /// The number of messages after which a helper counts as invalid.
    static let mostMessages = 20_000

    /// libcamera's version; empty before the helper's first message.
    package private(set) var version = ""
    package private(set) var cameras: [LibcameraDevice] = []

    private var phase = Phase.greeting
    private var messageCount = 0
    /// The beginning of the present step.
    private var since: Int64
    private let start: Int64

    /// Begins the inquiry, at the time when the helper was started.
    package init(at now: Int64) {
        since = now
        start = now
    }

    /// The time at which `passed(_:)` has to be called; nil at the end.
    package var deadline: Int64? {
        phase == .ended ? nil : min(since + Self.patience, start + Self.patienceInAll)
    }

    /// Ends the inquiry if its time limit has passed.
    package mutating func passed(_ now: Int64) -> Action {
        guard let deadline, now >= deadline else { return .nothing }
        let patience = deadline < since + Self.patience ? Self.patienceInAll : Self.patience
        return end(.slow(phase == .greeting ? .greeting : .listing, after: patience))
    }

    /// Records that the helper closed its socket or ended.
    package mutating func exited(_ exit: SessionEnd.Exit) -> Action { end(.exited(exit)) }

    /// Records the arrival of one message, valid or not.
    ///
    /// - Parameter descriptors: The number of file descriptors that came with it, which must be 0.
    package mutating func received(_ bytes: [UInt8], descriptors: Int, at now: Int64) -> Action {
        guard phase != .ended else { return .nothing }
        messageCount += 1
        guard messageCount <= Self.mostMessages else { return end(.flooded) }
        do throws(MessageFault) {
            return handle(try HelperMessage(bytes, descriptors: descriptors), now)
        } catch {
            return end(.invalidMessage(error))
        }
    }

    private mutating func handle(_ message: HelperMessage, _ now: Int64) -> Action {
        switch (message, phase) {
        case (.failure(let failure), _): return end(.refused(failure))
        case (.hello(let version), .greeting):
            self.version = version
            phase = .listing
            since = now
            return .send(.list)
        case (.camera(let listing), .listing):
            cameras.append(LibcameraDevice(listing: listing))
            return .nothing
        case (.device(let number), .listing) where !cameras.isEmpty:
            cameras[cameras.count - 1].nodes.append(number)
            return .nothing
        case (.listed(let count), .listing) where count == cameras.count: return describe(0, now)
        case (.control(let listing), .describing(let index)):
            cameras[index].controls.append(LibcameraDevice.Control(listing: listing))
            return .nothing
        case (.choice(let choice), .describing(let index)) where !cameras[index].controls.isEmpty:
            cameras[index].controls[cameras[index].controls.count - 1].choices.append(choice)
            return .nothing
        case (.described(let count), .describing(let index)) where count == cameras[index].controls.count:
            return describe(index + 1, now)
        default: return end(.unexpectedMessage(message.name))
        }
    }

    /// Requests the controls of a camera, if there is one of that number.
    private mutating func describe(_ index: Int, _ now: Int64) -> Action {
        since = now
        guard index < cameras.count else {
            phase = .ended
            return .done
        }
        phase = .describing(index)
        return .send(.describe(camera: cameras[index].listing.identifier))
    }

    private mutating func end(_ cause: SessionEnd) -> Action {
        guard phase != .ended else { return .nothing }
        phase = .ended
        return .end(cause)
    }
}
