package import MediaTypes

/// A stream that was set up.
package struct SessionStream: Sendable, Hashable {
    package var description: MediaDescription
    /// The received format, one of those in the description.
    package var format: PayloadFormat
    package var transport: RTSPTransport
}

/// A task for the owner of a session. Several tasks are done in their order.
package enum SessionAction: Sendable {
    /// Open a connection, then call `connected`.
    case connect(RTSPURL)
    case send([UInt8])
    /// Close the connection.
    case disconnect
    /// A packet of a stream from the connection: RTCP if `isControl`, else RTP.
    case packet(stream: Int, isControl: Bool, [UInt8])
    case event(SessionEvent)
}

/// The progress of a session.
package enum SessionEvent: Sendable {
    case described(SessionDescription)
    /// All streams are set up, and packets may arrive. Sent again after a new connection.
    case ready([SessionStream])
    /// The camera sends packets. `beginnings` has what the response states about each stream; nil if it states nothing.
    case playing(beginnings: [RTPInfo.Stream?])
    /// A deviation that does not end the session, in words for the log.
    case notice(String)
    /// The session is over. The error is nil if the session was stopped. This is the last event.
    case ended(MediaError?)
}
