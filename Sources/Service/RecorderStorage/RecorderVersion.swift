/// The name and version of this program in movies and on the command line.
package enum RecorderVersion {
    package static let number = "0.1.0"
    package static let text = "recorder \(number)"
}
