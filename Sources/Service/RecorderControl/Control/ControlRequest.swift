/// One complete request and its client.
struct ControlRequest: CompleteRequest {
    let peer: ControlPeer
    let content: RequestContent
}
