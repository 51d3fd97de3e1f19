public import Foundation

public enum CVAttachmentMode: UInt32, Sendable {
    case shouldNotPropagate = 0
    case shouldPropagate = 1
}

public func CVBufferSetAttachment(_ buffer: CVBuffer, _ key: CFString, _ value: Any, _ mode: CVAttachmentMode) {
    buffer.set(value, mode, for: key)
}
public func CVBufferSetAttachments(_ buffer: CVBuffer, _ attachments: CFDictionary, _ mode: CVAttachmentMode) {
    for (key, value) in attachments as? [String: Any] ?? [:] { buffer.set(value, mode, for: key) }
}
public func CVBufferCopyAttachment(
    _ buffer: CVBuffer, _ key: CFString, _ mode: UnsafeMutablePointer<CVAttachmentMode>?
) -> CFTypeRef? {
    guard let attachment = buffer.attachment(key) else { return nil }
    mode?.pointee = attachment.mode
    return attachment.value as AnyObject
}
public func CVBufferCopyAttachments(_ buffer: CVBuffer, _ mode: CVAttachmentMode) -> CFDictionary? {
    let all = buffer.attachments(mode)
    return all.isEmpty ? nil : all as NSDictionary
}
public func CVBufferGetAttachments(_ buffer: CVBuffer, _ mode: CVAttachmentMode) -> CFDictionary? {
    CVBufferCopyAttachments(buffer, mode)
}
public func CVBufferHasAttachment(_ buffer: CVBuffer, _ key: CFString) -> Bool { buffer.attachment(key) != nil }
public func CVBufferRemoveAttachment(_ buffer: CVBuffer, _ key: CFString) { buffer.removeAttachment(key) }
public func CVBufferRemoveAllAttachments(_ buffer: CVBuffer) { buffer.removeAllAttachments() }
public func CVBufferPropagateAttachments(_ source: CVBuffer, _ destination: CVBuffer) {
    for (key, value) in source.attachments(.shouldPropagate) { destination.set(value, .shouldPropagate, for: key) }
}
public func CVBufferGetTypeID() -> CFTypeID { CVPixelBufferGetTypeID() }
