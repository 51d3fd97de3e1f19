// A program that captures imports this module in place of AVFoundation.
@_exported public import AVFoundation
