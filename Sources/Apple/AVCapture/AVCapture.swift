// A program that captures imports this module instead of AVFoundation.
@_exported public import AVFoundation
