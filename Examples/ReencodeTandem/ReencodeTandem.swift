import AssetIO
import Dispatch
import Foundation
import MediaTypes

/// `ReencodeTandem INPUT OUTPUT [WIDTHxHEIGHT]`; Control-C cancels.
@main
struct ReencodeTandem {
    static func main() {
        let arguments = Array(CommandLine.arguments.dropFirst())
        let paths = arguments.prefix(2).map { URL(fileURLWithPath: $0) }
        let size = arguments.count == 3 ? FrameSize(arguments[2]) : nil
        guard paths.count == 2, arguments.count == 2 || size != nil else {
            print("usage: ReencodeTandem INPUT OUTPUT [WIDTHxHEIGHT]")
            exit(64)
        }
        let reencoder = Reencoder(asset: Asset(url: paths[0]), outputURL: paths[1], size: size)
        signal(SIGINT, SIG_IGN)
        let interrupt = DispatchSource.makeSignalSource(signal: SIGINT, queue: .global())
        interrupt.setEventHandler { reencoder.cancel() }
        interrupt.resume()
        reencoder.start { result in
            switch result {
            case .success:
                print(paths[1].path)
                exit(0)
            case .failure(let error):
                print(error)
                exit(1)
            }
        }
        withExtendedLifetime(interrupt) { dispatchMain() }
    }
}
