// AVKit re-exports it; the program imports AVKit alone.
@_exported import AVFoundation
